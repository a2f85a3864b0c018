import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { FileLinks } from '../../../src/platform/files/file-links.js';
import { FileStore } from '../../../src/platform/files/file-store.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { pagesOf } from '../../setup/pdf.js';
import { issuedNote, PATH as NOTES, useOwnSeries } from '../credit-notes/crediting.js';
import { draft, PATH, pay, sell, takeBack, voiding } from '../invoices/invoicing.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { hire, makeToken, SESSIONS, TOKENS, USERS } from '../../identity/staff.js';
import { requestRendition, bill, download, fetchFile, linkOf, type Rendition, RENDITIONS } from './rendering.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
  await app.as('owner').patch('/v1/admin/organization/profile', { legalName: 'Lake Tours' });
  owner = app.as('owner');
});

describe('POST /v1/admin/finance/invoices/{id}/renditions', () => {
  it('a request is answered with 202, a pending rendition and the Location of its download', async () => {
    const { id: invoiceId } = await bill(app);
    const { status, headers, body } = await owner.post<{ data: Rendition }>(`${PATH}/${invoiceId}/renditions`, {
      format: 'pdf',
    });
    expect(status).toBe(202);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^rend_/),
        invoiceId,
        format: 'pdf',
        language: 'en',
        version: 1,
        status: 'pending',
        sha256: null,
        sizeBytes: null,
        createdAt: expect.any(String),
        readyAt: null,
      },
    });
    expect(headers['location']).toBe(`${RENDITIONS}/${body.data.id}/download`);
  });

  it('a rendition of a draft is 409 invoice_not_issued, of an unknown invoice 404', async () => {
    const { id: bookingId } = await sell(app);
    const { id } = await draft(owner, { bookingId });
    const post = (invoiceId: string) => owner.post(`${PATH}/${invoiceId}/renditions`, { format: 'html' });
    const [early, unknown] = [await post(id), await post('inv_01k0dem000e000000000009999')];
    expect([early.status, early.body]).toEqual([409, problem('invoice_not_issued')]);
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found')]);
  });

  it('an invalid body is rejected with 400 and its issues', async () => {
    const { id } = await bill(app);
    const answer = await owner.post(`${PATH}/${id}/renditions`, { format: 'docx' });
    expect([answer.status, answer.body]).toEqual([400, invalid('format', 'unknown_value')]);
  });

  it('versions are counted per format and language, also in concurrent requests', async () => {
    const { id } = await bill(app);
    const made = await Promise.all(Array.from({ length: 4 }, () => requestRendition(owner, id, { format: 'html' })));
    expect(made.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4]);
    expect((await requestRendition(owner, id, { format: 'html', language: 'de' })).version).toBe(1);
    for (const rendition of made.filter(({ version }) => version === 4)) await linkOf(owner, rendition.id);
  });
});

describe('GET /v1/admin/finance/invoice-renditions/{id}/download', () => {
  it('a download redirects to a PDF with number, lines, taxes and totals, with any Authorization header', async () => {
    const invoice = await bill(app);
    const { id } = await requestRendition(owner, invoice.id);
    const location = await linkOf(owner, id);
    expect(location).toMatch(/^\/v1\/files\/[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
    const token = app.credentials.staff.token;
    for (const authorization of [undefined, `Bearer ${token}`, 'Bearer nonsense', 'Basic eDp5', '']) {
      const { status, headers, bytes } = await fetchFile(
        app.url + location,
        authorization === undefined ? {} : { authorization },
      );
      expect([authorization, status]).toEqual([authorization, 200]);
      expect(headers).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': String(bytes.length),
        'content-disposition': `attachment; filename="${invoice.number}.pdf"`,
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
      });
      const text = (await pagesOf(bytes)).join(' ');
      for (const part of [
        String(invoice.number),
        'Lake Tours',
        'Łukasz & Söhne',
        'City tour',
        '19%',
        '€38.00',
        '€238.00',
      ]) {
        expect(text).toContain(part);
      }
    }
  });

  it.each(['html', 'pdf'])(
    'a credit note is rendered as %s with its original, its reason and nothing to pay',
    async (format) => {
      await useOwnSeries(owner);
      const invoice = await bill(app);
      const reasonText = 'Ein Platz weniger';
      const lines = [{ linePosition: 1, amountCents: 11_900 }];
      const { id: noteId, number } = await issuedNote(owner, invoice, { reasonText, lines });
      const path = `${NOTES}/${noteId}/renditions`;
      const requested = await owner.post<{ data: Rendition }>(path, { format, language: 'de' });
      expect([requested.status, requested.text]).toEqual([202, requested.text]);
      const { bytes } = await fetchFile(app.url + (await linkOf(owner, requested.body.data.id)));
      const shown = format === 'pdf' ? (await pagesOf(bytes)).join(' ') : bytes.toString().replace(/<[^>]*>/g, ' ');
      const text = shown.replace(/\s+/g, ' ');
      for (const part of [
        `Rechnungskorrektur ${String(number)}`,
        `Zur Rechnung ${String(invoice.number)} vom`,
        `Grund: ${reasonText}`,
        'Lake Tours',
        '119,00 €',
      ]) {
        expect(text).toContain(part);
      }
      for (const part of ['Fällig', 'Verwendungszweck', 'IBAN', 'Offener Betrag']) expect(text).not.toContain(part);
      expect((await owner.get<{ data: Rendition[] }>(path)).body.data).toMatchObject([{ format, status: 'ready' }]);
    },
  );

  it('a link to a file ends with the session or the API token that made it, and when its user is disabled', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id);
    await linkOf(owner, id);
    const fetched = async (link: string) => (await fetchFile(app.url + link)).status;
    const [leaving, disabled, revoked] = [
      await hire(app, ['finance']),
      await hire(app, ['finance']),
      await hire(app, ['owner']),
    ];
    const { token, id: tokenId } = await makeToken(revoked.client, ['finance:read']);
    const clients = [leaving.client, disabled.client, app.with(token)];
    const links: string[] = [];
    for (const client of clients) links.push(await linkOf(client, id));
    expect(await Promise.all(links.map(fetched))).toEqual([200, 200, 200]);
    await leaving.client.delete(`${SESSIONS}/current`);
    await owner.patch(`${USERS}/${disabled.user.id}`, { active: false });
    await owner.delete(`${TOKENS}/${tokenId}`);
    expect(await Promise.all(links.map(fetched))).toEqual([404, 404, 404]);
    await owner.patch(`${USERS}/${disabled.user.id}`, { active: true });
    expect(await Promise.all(links.map(fetched))).toEqual([404, 404, 404]);
  });

  it('a download is an empty 302 that is not cached, whatever Accept says', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id);
    await linkOf(owner, id);
    for (const Accept of [
      '*/*',
      'application/json',
      'application/pdf',
      'text/html,application/xhtml+xml',
      'image/png',
    ]) {
      const { status, headers, text } = await app.request('GET', `${RENDITIONS}/${id}/download`, {
        token: app.credentials.staff.token,
        headers: { Accept },
      });
      expect([Accept, status, text]).toEqual([Accept, 302, '']);
      expect(headers['location']).toMatch(/^\/v1\/files\//);
      expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' });
    }
  });

  it('an HTML rendition is escaped and in the requested language', async () => {
    const invoice = await bill(app);
    const { id } = await requestRendition(owner, invoice.id, { format: 'html', language: 'de' });
    const { headers, bytes } = await fetchFile(app.url + (await linkOf(owner, id)));
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(bytes.toString()).toContain(`Rechnung ${invoice.number}`);
    expect(bytes.toString()).toContain('Łukasz &amp; Söhne');
    const [booking] = await app.sql<{ number: string }>('select number from bookings where id = $1', [
      invoice.bookingId,
    ]);
    expect(bytes.toString()).toContain(`<dt>Buchung</dt><dd><bdi>${booking?.number}</bdi></dd>`);
  });

  it('the line of a fee invoice is in the language of the rendition', async () => {
    const { bookingId } = await bill(app);
    await useOwnSeries(owner);
    await owner.post(`/v1/admin/bookings/${bookingId}/cancellation`, { reason: 'Ill' });
    const settled = await owner.post<{ data: { feeInvoiceId: string } }>(
      `/v1/admin/finance/bookings/${bookingId}/cancellation-settlement`,
      { agreedFeeCents: 5_000, feeReason: 'Agreed' },
    );
    expect([settled.status, settled.text]).toEqual([200, settled.text]);
    const { id } = await requestRendition(owner, settled.body.data.feeInvoiceId, { format: 'html', language: 'fr' });
    const html = (await fetchFile(app.url + (await linkOf(owner, id)))).bytes.toString();
    expect(html).toContain('Frais d’annulation</div>');
    expect(html).not.toContain('Cancellation fee');
  });

  it('the file name is the invoice number without special characters', async () => {
    const { id } = await requestRendition(owner, (await bill(app, { prefix: '../R "ü"; x=' })).id);
    const { headers } = await fetchFile(app.url + (await linkOf(owner, id)));
    expect(headers['content-disposition']).toBe('attachment; filename="R-x-0001.pdf"');
  });

  it('a download is logged with its actor', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id);
    await linkOf(owner, id);
    const lines = app.logs.filter((line) => line.includes('an invoice was downloaded') && line.includes(id));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        download: { renditionId: id, invoiceId: expect.any(String), actor: expect.any(String) },
      }),
    ]);
  });

  it('a download needs finance:receivables, and an unknown or malformed id is 404', async () => {
    const other = await staffWith(app, 'finance:write');
    const { status, body } = await download(other, 'rend_01k0dem000e000000000000001');
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:receivables' })]);
    for (const id of ['rend_01k0dem000e000000000009999', 'inv_01k0dem000e000000000000001', '..']) {
      const unknown = await download(owner, id);
      expect([unknown.status, unknown.body]).toEqual([404, problem('not_found')]);
    }
  });
});

describe('POST /v1/admin/finance/invoice-renditions/{id}/links', () => {
  interface Link {
    data: { url: string; expiresAt: string; fileName: string; disposition: string };
  }
  const PDF_POLICY = "default-src 'none';style-src 'unsafe-inline';object-src 'self';frame-ancestors 'self'";
  const linkTo = (client: TestClient, id: string, body?: object) =>
    client.post<Link>(`${RENDITIONS}/${id}/links`, body);

  it('a link shows a PDF in a frame of its own origin, or downloads it, for five minutes', async () => {
    const invoice = await bill(app);
    const { id } = await requestRendition(owner, invoice.id);
    await linkOf(owner, id);
    const fileName = `${invoice.number}.pdf`;
    for (const [body, disposition] of [
      [{ disposition: 'inline' }, 'inline'],
      [{ disposition: 'attachment' }, 'attachment'],
      [{}, 'attachment'],
    ] as const) {
      const { status, body: answer, headers } = await linkTo(owner, id, body);
      const { url, expiresAt } = answer.data;
      expect([status, answer.data]).toEqual([201, { url, expiresAt, fileName, disposition }]);
      expect(headers).toMatchObject({ location: url, 'cache-control': 'private, no-store' });
      expect(Math.abs(Date.parse(expiresAt) - app.now().getTime() - 300_000)).toBeLessThan(5_000);
      const file = await fetchFile(app.url + url);
      expect(file.status).toBe(200);
      expect(file.bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(
        (await owner.get<{ data: Rendition[] }>(`${PATH}/${invoice.id}/renditions`)).body.data[0]?.sha256,
      );
      expect(file.headers).toMatchObject({
        'content-type': 'application/pdf',
        'content-disposition': `${disposition}; filename="${fileName}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-store',
      });
      const isInline = disposition === 'inline';
      expect(file.headers['x-frame-options']).toBe(isInline ? undefined : 'DENY');
      if (isInline) expect(file.headers['content-security-policy']).toBe(PDF_POLICY);
      else expect(file.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect((await fetchFile(app.url + url, {}, 'HEAD')).headers['content-disposition']).toContain(disposition);
    }
    const { url } = (await linkTo(owner, id, { disposition: 'inline' })).body.data;
    app.travel({ ms: 301_000 });
    expect((await fetchFile(app.url + url)).status).toBe(404);
  });

  it('a link to HTML, or to bytes that are no PDF, is never displayed', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id, { format: 'html' });
    await linkOf(owner, id);
    const { data } = (await linkTo(owner, id, { disposition: 'inline' })).body;
    expect(data.disposition).toBe('attachment');
    const [token] = await app.sql<{ id: string }>('select id from api_tokens where revoked_at is null limit 1');
    const links: string[] = [data.url];
    for (const [bytes, type] of [
      ['<html>%PDF-1.7', 'application/pdf'],
      ['%PD', 'application/pdf'],
      ['%PDF-1.7', 'text/html'],
    ] as const) {
      const { key } = await app.nest.get(FileStore).put(Buffer.from(bytes));
      const file = { key, name: 'file.pdf', type, inline: true };
      links.push((await app.nest.get(FileLinks).linkTo(file, token?.id ?? '')).path);
    }
    for (const link of links) {
      const { status, headers } = await fetchFile(app.url + link);
      expect([link, status, headers['x-frame-options']]).toEqual([link, 200, 'DENY']);
      expect(headers['content-disposition']).toMatch(/^attachment;/);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('a link ends when its user is disabled, and with the session that made it', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id);
    await linkOf(owner, id);
    const [disabled, leaving] = [await hire(app, ['sales']), await hire(app, ['finance'])];
    const links: string[] = [];
    for (const { client } of [disabled, leaving]) {
      const { status, body } = await linkTo(client, id, { disposition: 'inline' });
      expect(status).toBe(201);
      links.push(app.url + body.data.url);
    }
    const statuses = () => Promise.all(links.map(async (link) => (await fetchFile(link)).status));
    expect(await statuses()).toEqual([200, 200]);
    await owner.patch(`${USERS}/${disabled.user.id}`, { active: false });
    await leaving.client.delete(`${SESSIONS}/current`);
    expect(await statuses()).toEqual([404, 404]);
  });

  it('a link is rejected in the states in which a download is, and without finance:receivables', async () => {
    const { id: invoiceId } = await bill(app);
    const first = await requestRendition(owner, invoiceId);
    await linkOf(owner, first.id);
    const second = await requestRendition(owner, invoiceId);
    await linkOf(owner, second.id);
    const stale = await linkTo(owner, first.id, { disposition: 'inline' });
    expect([stale.status, stale.body]).toEqual([409, problem('rendition_stale')]);
    expect((await linkTo(owner, first.id, { allowStale: true })).status).toBe(201);
    const [unknown, invalidBody] = [
      await linkTo(owner, 'rend_01k0dem000e000000000009999', {}),
      await linkTo(owner, second.id, { disposition: 'window' }),
    ];
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found')]);
    expect([invalidBody.status, invalidBody.body]).toEqual([400, invalid('disposition', 'unknown_value')]);
    const { status, body } = await linkTo(await staffWith(app, 'finance:write'), second.id, {});
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:receivables' })]);
  });
});

describe('a newer version', () => {
  it('a newer version makes older ones stale: 409 rendition_stale unless allowStale is true', async () => {
    const { id: invoiceId } = await bill(app);
    const first = await requestRendition(owner, invoiceId);
    await linkOf(owner, first.id);
    const other = await requestRendition(owner, invoiceId, { format: 'pdf', language: 'fr' });
    await linkOf(owner, other.id);
    const second = await requestRendition(owner, invoiceId);
    await linkOf(owner, second.id);
    const { status, body } = await download(owner, first.id);
    expect([status, body]).toEqual([409, problem('rendition_stale')]);
    const { headers } = await download(owner, first.id, '?allowStale=true');
    expect((await fetchFile(app.url + headers['location'])).status).toBe(200);
    const list = await owner.get<{ data: Rendition[]; total: number }>(`${PATH}/${invoiceId}/renditions`);
    expect(list.body.data.map(({ id, status: state }) => [id, state])).toEqual([
      [second.id, 'ready'],
      [other.id, 'ready'],
      [first.id, 'stale'],
    ]);
    expect(list.body.total).toBe(3);
  });

  it('a newer version shows what is paid since, or that the invoice is void; an older version never changes', async () => {
    const { id: invoiceId } = await bill(app);
    const render = async () => {
      const { id } = await requestRendition(owner, invoiceId);
      const { bytes } = await fetchFile(app.url + (await linkOf(owner, id)));
      const { body } = await owner.get<{ data: Rendition[] }>(`${PATH}/${invoiceId}/renditions?limit=1`);
      expect(body.data[0]).toMatchObject({ id, sha256: createHash('sha256').update(bytes).digest('hex') });
      return { id, bytes, text: (await pagesOf(bytes)).join(' ') };
    };
    const first = await render();
    expect((await render()).bytes.equals(first.bytes)).toBe(true);
    const payment = await pay(app, invoiceId, 100);
    expect(first.text).toContain('Balance due €238.00');
    expect((await render()).text).toContain('Balance due €237.00');
    await takeBack(owner, payment);
    await voiding(owner, invoiceId);
    await owner.patch('/v1/admin/organization/profile', { legalName: 'Sea Tours' });
    const last = await render();
    expect([last.text.includes('VOID'), last.text.includes('Lake Tours'), last.text.includes('Sea Tours')]).toEqual([
      true,
      true,
      false,
    ]);
    await owner.patch('/v1/admin/organization/profile', { legalName: 'Lake Tours' });
    const { headers } = await download(owner, first.id, '?allowStale=true');
    expect((await fetchFile(app.url + headers['location'])).bytes.equals(first.bytes)).toBe(true);
  });

  it('a rendition without a language is in that of the profile', async () => {
    await owner.patch('/v1/admin/organization/profile', { defaultLanguage: 'ro' });
    const { id, language } = await requestRendition(owner, (await bill(app)).id);
    await owner.patch('/v1/admin/organization/profile', { defaultLanguage: 'en' });
    expect(language).toBe('ro');
    const { bytes } = await fetchFile(app.url + (await linkOf(owner, id)));
    expect((await pagesOf(bytes)).join(' ')).toMatch(/^Factură .*Sold de plată .*IBAN /);
  });
});

describe('GET /v1/files/{token}', () => {
  it('an invalid, changed or expired token is 404 in the form of the storefront', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id);
    const location = await linkOf(owner, id);
    const [payload = '', mac = ''] = location.replace('/v1/files/', '').split('.');
    const forged = Buffer.from(JSON.stringify(['0'.repeat(64), 'x.pdf', 'text/html', 9e15])).toString('base64url');
    const changed = mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`;
    const tokens = [
      'x',
      `${payload}.${changed}`,
      `${forged}.${mac}`,
      payload,
      `${payload}.${mac}.${mac}`,
      `${payload}.`,
      '%2e%2e',
    ];
    for (const token of tokens) {
      const { status, body } = await app.get(`/v1/files/${token}`);
      expect([token, status, body]).toEqual([token, 404, problem('not_found')]);
    }
    app.travel({ ms: 299_000 });
    expect((await fetchFile(app.url + location)).status).toBe(200);
    app.travel({ ms: 2_000 });
    expect((await app.get(location)).body).toEqual(problem('not_found'));
  });

  it('a token that was signed for another purpose does not open a file', async () => {
    const { headers } = await owner.get('/v1/admin/action-ledger/entries?limit=1');
    const cursor = /cursor=([^&>]+)/.exec(headers['link'] ?? '')?.[1] ?? '';
    expect(cursor).not.toBe('');
    expect((await app.get(`/v1/files/${cursor}`)).status).toBe(404);
  });

  it('HEAD is answered without the file', async () => {
    const { id } = await requestRendition(owner, (await bill(app)).id);
    const { status, headers, bytes } = await fetchFile(app.url + (await linkOf(owner, id)), {}, 'HEAD');
    expect([status, bytes.length]).toEqual([200, 0]);
    expect(Number(headers['content-length'])).toBeGreaterThan(1_000);
  });
});

describe('the job queue', () => {
  it('the job queue renders a rendition once and retries a failed attempt', async () => {
    const files = app.nest.get(FileStore);
    const put = files.put.bind(files);
    let failures = 1;
    files.put = (bytes) => (failures-- > 0 ? Promise.reject(new Error('the disk is full')) : put(bytes));
    try {
      const { id } = await requestRendition(owner, (await bill(app)).id, { format: 'html' });
      await linkOf(owner, id);
      const found = await app.sql('select status, attempts from invoice_renditions where id = $1', [id]);
      expect(found).toEqual([{ status: 'ready', attempts: 2 }]);
    } finally {
      files.put = put;
    }
  });
});
