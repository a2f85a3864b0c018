import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { type MailServer, startMailServer } from '../notifications/mail-server.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { tablesWith } from '../setup/tables.js';
import { ContractsService } from '../../src/modules/legal/contracts/contracts.service.js';
import { Database } from '../../src/platform/database/database.js';
import { dayInWords } from '../../src/platform/time/day-in-words.js';
import { entriesAbout, invalid, makeBooking } from '../bookings/bookings.js';
import { contractIn, declareVoid, dispatch, read, withdraw } from './contracts.js';

const PAGES = '/v1/public/legal/contract-pages';
const UNKNOWN = 'a'.repeat(43);
const SCRIPT = '<script>alert(1)</script>';

let app: TestApp;
let server: MailServer;
let sent = 0;

beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({ env: { LOG_LEVEL: 'trace', SMTP_URL: server.url } });
  const company = { legalName: 'Dolomiti & <Co>', address: 'Via Roma 1, Bozen', taxId: 'IT123' };
  expect((await app.as('owner').patch('/v1/admin/organization/profile', company)).status).toBe(200);
});

describe('the page of a contract', () => {
  it('the page of a contract shows the escaped title, the frozen text and the company in the language of the contract', async () => {
    const terms = { title: `Reisevertrag ${SCRIPT}`, body: `<p>Sieben Tage</p>${SCRIPT}<a href="javascript:x">x</a>` };
    const { contract, page } = await mailed({ ...terms, language: 'de' });

    expect(page.status).toBe(200);
    expect(page.text).toContain('<html lang="de">');
    expect(page.text).toContain('<h1>Reisevertrag &lt;script&gt;alert(1)&lt;/script&gt;</h1>');
    expect(page.text).toContain(`<p>Vertrag ${contract.contractNumber}</p>`);
    expect(page.text).toContain(`<article lang="de">${contract.body}</article>`);
    expect(contract.body).toBe('<p>Sieben Tage</p><a>x</a>');
    expect(page.text).toContain('Dolomiti &amp; &lt;Co&gt;\nVia Roma 1, Bozen\nSteuernummer IT123');
    expect(page.text).not.toMatch(/<script|javascript:/);
    expect(page.text).not.toContain(contract.id);
  });

  it.each([
    ['en', 'Contract'],
    ['fr', 'Contrat'],
    ['es', 'Contrato'],
    ['it', 'Contratto'],
    ['ro', 'Contract'],
    ['de-AT', 'Vertrag'],
    ['xx', 'Contract'],
  ])('the page of a contract has texts in the language %s', async (language, word) => {
    const { contract, page } = await mailed({ language });
    expect(page.text).toContain(`<p>${word} ${contract.contractNumber}</p>`);
    expect(page.text).toContain(`<article lang="${language}">`);
  });

  it('loads nothing, applies only its own style, and is neither stored, indexed nor named in a Referer', async () => {
    const { page, link } = await mailed();
    const nonce = /<style nonce="([\w-]{22})">/.exec(page.text)?.[1];
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none';style-src 'nonce-${nonce}';base-uri 'none';form-action 'self';frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
    expect((await app.get(link)).headers['content-security-policy']).not.toContain(String(nonce));
  });

  it('an expired contract is shown with a notice', async () => {
    const { contract, link } = await mailed({ language: 'it' });
    await app.sql(
      `update contracts set status = 'expired', expires_at = now(), expired_at = now() where public_id = $1`,
      [contract.id],
    );
    expect((await app.get(link)).text).toContain('Questo contratto è scaduto.');
  });

  it('unknown, malformed, withdrawn and ended links have the same 404 page, in the language of the browser', async () => {
    const [withdrawn, ended] = [await mailed(), await mailed()];
    await withdraw(app, withdrawn.contract.id);
    await app.sql(`update contracts set public_until = now() - interval '1 day' where public_id = $1`, [
      ended.contract.id,
    ]);
    const links = [`${PAGES}/${UNKNOWN}`, `${PAGES}/x`, `${PAGES}/a%2Fb`, withdrawn.link, ended.link];
    const pages = await Promise.all(
      links.map((link) => app.get(link, { headers: { 'Accept-Language': 'ro, en;q=0.5' } })),
    );

    for (const { status, text, headers } of pages) {
      expect(status).toBe(404);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'x-robots-tag': 'noindex' });
      expect(text).toContain('<h1>Această pagină nu există</h1>');
      expect(withoutNonce(text)).toBe(withoutNonce(pages[0]?.text ?? ''));
    }
  });

  it('a void contract has a 410 page in its language', async () => {
    const { contract, link } = await mailed({ language: 'es', title: 'Crucero' });
    await declareVoid(app, contract.id);
    const { status, text } = await app.get(link);
    expect(status).toBe(410);
    expect(text).toContain('<h1>Este contrato ya no es válido</h1>');
    expect(text).not.toContain('Crucero');
  });

  it('the page of a contract is not found under the id or the reference of the contract', async () => {
    const { contract } = await mailed();
    for (const key of [contract.id, contract.reference]) expect((await app.get(`${PAGES}/${key}`)).status).toBe(404);
  });
});

describe('a signature on the page of a contract', () => {
  const digestIn = (text: string) => /name="bodySha256" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
  const sign = (link: string, fields: Record<string, string>, headers = {}) =>
    app.post(link, undefined, {
      ...{ body: undefined, raw: new URLSearchParams(fields).toString() },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });

  it('the other party signs once, and the declaration, the time, the address, the browser and the text are proved', async () => {
    const { contract, link, page } = await mailed({ language: 'de' });
    expect(page.text).toContain('<input type="checkbox" name="accepted" value="yes" required> Ich habe diesen Vertrag');
    const form = { name: ' Clara <Meier> ', accepted: 'yes', bodySha256: digestIn(page.text) };
    expect(form.bodySha256).toBe(contract.bodySha256);
    const agent = { 'User-Agent': 'Browser of Clara' };
    const answers = await Promise.all([1, 2, 3, 4].map(() => sign(link, form, agent)));
    const today = new Date().toISOString().slice(0, 10);
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).toContain(`Unterzeichnet von Clara &lt;Meier&gt; am ${dayInWords(today, 'de')}.`);
      expect(text).not.toContain('<form');
    }
    const later = await sign(link, { ...form, name: 'Maria Other' });
    expect([later.status, later.text.includes('Clara &lt;Meier&gt;')]).toEqual([200, true]);
    const stored = await read(app, contract.id);
    expect(stored).toMatchObject({
      ...{ status: 'signed', signedAt: expect.any(String), bodySha256: contract.bodySha256 },
      signature: {
        ...{ name: 'Clara <Meier>', statement: 'Ich habe diesen Vertrag gelesen und stimme ihm zu.' },
        ...{ address: '127.0.0.1', userAgent: 'Browser of Clara' },
      },
    });
    const entries = await entriesAbout(app.as('owner'), contract.reference);
    expect(entries.filter(({ action }) => action === 'legal.contract.sign')).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('Clara');
    expect(app.logs.filter((line) => line.includes('Meier'))).toEqual([]);
    expect((await dispatch(app, contract.id, { resend: true })).body).toMatchObject({ code: 'invalid_transition' });
  });

  it('a signature cannot be changed, and an erasure leaves what was declared and when', async () => {
    const { id: bookingId } = await makeBooking(app.as('owner'));
    const { contract, link, page } = await mailed({ bookingId });
    await sign(link, { name: 'Clara Meier', accepted: 'yes', bodySha256: digestIn(page.text) });
    const { signedAt } = await read(app, contract.id);
    for (const change of [`signed_at = now()`, `signed_statement = 'No'`, `signer_name = 'Maria Other'`]) {
      const changed = app.sql(`update contracts set ${change} where id = $1`, [contract.reference]);
      await expect(changed).rejects.toThrow('its signature stays');
    }
    const [contracts, database] = [ContractsService, Database].map((one) => app.nest.get(one, { strict: false })) as [
      ContractsService,
      Database,
    ];
    await asSystem(() => database.transaction(() => contracts.eraseOfBookings([bookingId])));
    const erased = {
      name: null,
      statement: 'I have read this contract and agree to it.',
      address: null,
      userAgent: null,
    };
    expect(await read(app, contract.id)).toMatchObject({ status: 'signed', signedAt, signature: erased });
  });

  it('without a name, the checkbox or the digest of the text nothing is signed', async () => {
    const { contract, link, page } = await mailed();
    const form = { name: 'Clara Meier', accepted: 'yes', bodySha256: digestIn(page.text) };
    const wrong: [Record<string, string>, string, string][] = [
      [{ ...form, name: ' ' }, 'name', 'required'],
      [{ ...form, name: 'x'.repeat(201) }, 'name', 'too_long'],
      [{ ...form, name: 'Clara\u0007' }, 'name', 'control_characters'],
      [{ ...form, accepted: 'on' }, 'accepted', 'unknown_value'],
      [{ ...form, bodySha256: '0'.repeat(64) }, 'bodySha256', 'unknown_value'],
    ];
    for (const [fields, path, code] of wrong) {
      const { status, body } = await sign(link, fields);
      expect([status, body]).toEqual([400, invalid(path, code)]);
    }
    expect(await read(app, contract.id)).toMatchObject({ status: 'sent', signedAt: null, signature: null });
  });

  it('an expired contract is not signed, and unknown, withdrawn and void ones have the pages that others see', async () => {
    const form = (text: string) => ({ name: 'Clara Meier', accepted: 'yes', bodySha256: digestIn(text) });
    const expired = await mailed();
    await app.sql(`update contracts set expires_at = now() where id = $1`, [expired.contract.reference]);
    const withdrawn = await mailed();
    await withdraw(app, withdrawn.contract.id);
    const voided = await mailed();
    await declareVoid(app, voided.contract.id);
    const answers = [];
    for (const { link, page } of [expired, withdrawn, voided]) answers.push((await sign(link, form(page.text))).status);
    answers.push((await sign(`${PAGES}/${UNKNOWN}`, {})).status);
    expect(answers).toEqual([409, 404, 410, 404]);
    expect((await app.get(expired.link)).text).toContain('This contract has expired.');
    const references = [expired, withdrawn, voided].map(({ contract }) => contract.reference);
    const signed = await app.sql('select id from contracts where id = any($1) and signed_at is not null', [references]);
    expect(signed).toEqual([]);
  });
});

describe('the link to the page of a contract', () => {
  it('the link to the page of a contract contains a token of its own in each mail, of which only the hash is stored', async () => {
    const { contract, link } = await mailed();
    await dispatch(app, contract.id, { resend: true });
    const [, second] = await linksTo(contract.recipientEmail ?? '', 2);
    const tokens = [link, second ?? ''].map((each) => each.replace(`${PAGES}/`, ''));
    await app.get(`${PAGES}/${tokens[0]}`);
    await app.get(`${PAGES}/${tokens[1]}/`);

    expect(new Set(tokens).size).toBe(2);
    const stored = await app.sql<{ hash: string }>(
      `select encode(token_sha256, 'hex') as hash from contract_page_tokens where contract_id = $1`,
      [contract.reference],
    );
    const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'));
    expect(stored.map(({ hash }) => hash).sort()).toEqual(hashes.sort());
    expect(await tablesWith(app, tokens)).toEqual([]);
    for (const token of tokens) expect(app.logs.filter((line) => line.includes(token))).toEqual([]);
    const metrics = await app.get('/metrics');
    for (const token of tokens) expect(metrics.text).not.toContain(token);
  });

  it('the link to the page of a contract is not in the stored message, which staff can read', async () => {
    const { contract } = await mailed({}, { message: 'Here: {{link}} $& $1' });
    const messages = await app.as('owner').get<{ data: Record<string, unknown>[] }>('/v1/admin/notifications/messages');
    const own = messages.body.data.find(({ contractReference }) => contractReference === contract.reference);
    expect(own).toMatchObject({ text: expect.stringMatching(/Here: \{\{link\}\} \$& \$1\n\n\{\{link\}\}/) });
    expect(JSON.stringify(messages.body)).not.toContain(contract.id);
  });

  it.each([
    ['withdrawn', (id: string) => withdraw(app, id)],
    ['void', (id: string) => declareVoid(app, id)],
  ])('the link to the page of a contract is not sent if the contract is %s before the mail leaves', async (_, end) => {
    const { contract } = await mailed();
    await end(contract.id);
    const recipient = `late-${sent}@example.com`;
    const [message] = await app.sql<{ id: string }>(
      `insert into notification_messages (id, kind, contract_id, status, recipient, recipient_kind, subject, text,
         attempts, send_at, created_at, updated_at)
       select 'nmsg_late_' || $2, 'contract', $1, 'queued', $2, 'primary', 'Late', '{{link}}', 0, now(), now(), now()
       returning id`,
      [contract.reference, recipient],
    );
    await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    const stored = await app.sql('select status from notification_messages where id = $1', [message?.id]);
    expect(stored).toEqual([{ status: 'cancelled' }]);
    expect(server.mails.filter((mail) => mail.recipient === recipient)).toEqual([]);
  });

  it('each access to a contract page is logged with the reference, and only its request line has the address of the client', async () => {
    const { contract, link } = await mailed();
    const { headers } = await app.get(link);
    const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    const own = lines.filter(({ requestId }) => requestId === headers['x-request-id']);
    expect(JSON.stringify(own[0])).not.toContain('127.0.0.1');
    expect(own).toEqual([
      expect.objectContaining({ msg: 'contract page access', contract: contract.reference }),
      expect.objectContaining({ req: { method: 'GET', path: `${PAGES}/[redacted]` }, clientAddress: '127.0.0.1' }),
    ]);
  });
});

describe('the rate limit of the page', () => {
  it('the rate limit of the page counts per address together with the public operation', async () => {
    const limited = await startApp({ env: { RATE_LIMIT_FACTOR: '0.04' } });
    for (let n = 0; n < 3; n += 1) await limited.get(`${PAGES}/${UNKNOWN}`);
    expect((await limited.get(`${PAGES}/${UNKNOWN}`)).status).toBe(429);
  });
});

/** A contract that was sent by mail, the link in the mail, and the page behind it. */
async function mailed(terms: object = {}, mail: object = {}) {
  sent += 1;
  const recipientEmail = `clara-${sent}@example.com`;
  const contract = await contractIn(app, 'issued', { recipientEmail, ...terms });
  await dispatch(app, contract.id, mail);
  const link = (await linksTo(recipientEmail, 1))[0] ?? '';
  const page: Answer<unknown> = await app.get(link);
  return { contract, link, page };
}

/** Waits for N mails to this address, and returns the paths of their links. */
async function linksTo(address: string, count: number): Promise<string[]> {
  for (;;) {
    const mails = server.mails.filter(({ recipient }) => recipient === address);
    if (mails.length >= count) {
      return mails.map(
        ({ text = '' }) => /\/v1\/public\/legal\/contract-pages\/[0-9A-Za-z]{43}(?=\s)/.exec(text)?.[0] ?? '',
      );
    }
    await setTimeout(50);
  }
}

function withoutNonce(html: string): string {
  return html.replace(/nonce="[^"]+"/, '');
}
