import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ErasuresService } from '../../src/modules/customers/privacy/erasures.service.js';
import { AttachmentRetentionJobs } from '../../src/modules/documents/attachments/attachment-retention.jobs.js';
import { Database } from '../../src/platform/database/database.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { blocked, entryOf, reversed } from '../action-ledger/reversals.js';
import {
  confirmedBooking,
  invalid,
  makeBooking,
  type One,
  type Page,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { addTraveler, travelersOf } from '../bookings/travelers.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { draft as draftInvoice } from '../finance/invoices/invoicing.js';
import { draft as draftContract } from '../legal/contracts.js';
import { newDeparture } from '../operations/departures.js';
import { png } from '../organization/logos.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { makeTrip, MANUAL } from '../trips/trips.js';
import {
  type Attachment,
  attached,
  ATTACHMENTS,
  downloaded,
  newAttachment,
  officeFile,
  pdfFile,
  putContent,
  textFile,
} from './attachments.js';

const folder = mkdtempSync(join(tmpdir(), 'travel-attachments-'));
afterAll(() => rmSync(folder, { recursive: true }));

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', FILES_DIR: folder } });
  owner = app.as('owner');
});

const onBooking = async () => ({ subjectType: 'booking', subjectId: (await makeBooking(owner)).id });
const onCustomer = async () => ({ subjectType: 'customer', subjectId: (await newCustomer(app)).id });
const read = async (id: string) => (await owner.get<One<Attachment>>(`${ATTACHMENTS}/${id}`)).body.data;
const sweep = () => asSystem(() => app.nest.get(AttachmentRetentionJobs, { strict: false }).deleteUnnamed());

const eraseEnded = () => asSystem(() => app.nest.get(AttachmentRetentionJobs, { strict: false }).eraseEnded());
const database = () => app.nest.get(Database, { strict: false });

/** Runs the work outside of the running transaction. */
const apart = AsyncResource.bind((work: () => Promise<void>) => asSystem(work));

async function untilWaiting(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await app.sql(waiting)).length === 0) await pause(20);
}

/** The stored files that contain these bytes. */
function filesWith(content: Buffer): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(content));
}

async function listed(query: string, client = owner): Promise<string[]> {
  const { status, body } = await client.get<Page<Attachment>>(`${ATTACHMENTS}?${query}`);
  expect([status, body]).toEqual([200, body]);
  return body.data.map(({ id }) => id);
}

describe('attachments', () => {
  it('a file is created on a record, uploaded, and downloaded as it was, always as an attachment', async () => {
    const subject = await onBooking();
    const content = pdfFile();
    const created = await newAttachment(owner, subject, { fileName: 'Gästeliste.pdf', sizeBytes: content.length });
    expect(created).toMatchObject({ ...subject, status: 'uploading', contentType: null, sha256: null, version: 1 });
    const early = await owner.get(`${ATTACHMENTS}/${created.id}/download`);
    expect([early.status, early.body]).toEqual([409, problem('file_not_ready', { status: 'uploading' })]);

    const { status, body, headers } = await putContent(owner, created.id, content);
    expect([status, headers['etag']]).toEqual([200, '"2"']);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(body.data).toMatchObject({ status: 'ready', contentType: 'application/pdf', sha256, version: 2 });
    expect(await read(created.id)).toEqual(body.data);

    const file = await downloaded(app, owner, created.id);
    expect([file.status, file.bytes.equals(content)]).toEqual([200, true]);
    expect(file.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="G_steliste.pdf"; filename*=UTF-8''G%C3%A4steliste.pdf`,
      'content-length': String(content.length),
      'x-content-type-options': 'nosniff',
    });
  });

  it('a file can be on each kind of record, and names the record', async () => {
    const { booking } = await confirmedBooking(owner);
    const traveler = await addTraveler(owner, booking.id, { firstName: 'Ana', lastName: 'Pop' });
    const { id: productId } = await newProduct(app, { name: 'Delta by boat' });
    const contract = await draftContract(app, { title: 'Terms of the tour' });
    const reference = await app.sql<{ id: string }>('select id from contracts where public_id = $1', [contract.id]);
    const subjects = {
      customer: (await newCustomer(app, { firstName: 'Maria', lastName: 'Ionescu' })).id,
      booking: booking.id,
      traveler: traveler.id,
      departure: (await newDeparture(app, { productId })).id,
      invoice: (await draftInvoice(owner, { bookingId: booking.id, payerName: 'Carpathia Events' })).id,
      contract: reference[0]?.id,
      product: productId,
      organization: 'organization',
    };
    const titles: Record<string, unknown> = {};
    for (const [subjectType, subjectId] of Object.entries(subjects)) {
      titles[subjectType] = (await newAttachment(owner, { subjectType, subjectId })).subjectTitle;
    }
    expect(titles).toMatchObject({
      ...{ customer: 'Maria Ionescu', booking: booking.number, traveler: 'Ana Pop', invoice: 'Carpathia Events' },
      ...{ product: 'Delta by boat', contract: 'Terms of the tour', organization: expect.any(String) },
    });
    const unknown = await owner.post(ATTACHMENTS, {
      ...{ subjectType: 'trip', subjectId: 'trip_01k0dem000e000000000009999', fileName: 'a.txt', sizeBytes: 1 },
      visibility: 'internal',
    });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'subjectId' })]);
  });

  it('a name is composed, and has neither a path nor control or invisible characters', async () => {
    const subject = await onBooking();
    expect((await newAttachment(owner, subject, { fileName: ' Cafe\u0301.txt ' })).fileName).toBe('Café.txt');
    const body = { ...subject, sizeBytes: 1, visibility: 'internal' };
    for (const fileName of ['../a.txt', 'a\\b.txt', 'a\u202Etxt.exe', 'a\u200Bb.txt', 'C:a.txt', '..']) {
      const { status, body: answer } = await owner.post(ATTACHMENTS, { ...body, fileName });
      expect([fileName, status, answer]).toEqual([fileName, 400, invalid('fileName', 'wrong_format')]);
    }
    const long = await owner.post(ATTACHMENTS, { ...body, fileName: 'é'.repeat(151) });
    expect([long.status, long.body]).toEqual([400, invalid('fileName', 'too_long')]);
    const large = await owner.post(ATTACHMENTS, { ...body, fileName: 'a.txt', sizeBytes: 10_485_761 });
    expect([large.status, large.body]).toEqual([400, invalid('sizeBytes', 'too_large')]);
  });

  it('a list has the files of a record, with filters, sorts and CSV', async () => {
    const subject = await onBooking();
    const first = await attached(owner, subject, textFile('abc'), { fileName: 'b.txt' });
    const second = await newAttachment(owner, subject, { fileName: 'a.txt', visibility: 'customer' });
    const about = `subjectType=booking&subjectId=${subject.subjectId}`;
    expect(await listed(about)).toEqual([second.id, first.id]);
    expect(await listed(`${about}&sort=-fileName`)).toEqual([first.id, second.id]);
    expect(await listed(`${about}&status=ready`)).toEqual([first.id]);
    expect(await listed(`${about}&visibility=customer,sensitive`)).toEqual([second.id]);
    const { text } = await owner.get(`${ATTACHMENTS}?${about}&format=csv&columns=fileName,status&sort=fileName`);
    expect(text).toContain('a.txt,uploading\r\nb.txt,ready');
    const { status, body } = await owner.get(`${ATTACHMENTS}?subjectType=user`);
    expect([status, body]).toEqual([400, invalid('subjectType', 'unknown_value')]);
  });
});

describe('the upload of an attachment', () => {
  it('a body that is longer than stated is rejected before its end, and leaves nothing', async () => {
    const { id } = await newAttachment(owner, await onBooking(), { sizeBytes: 100 });
    const expected = [422, problem('file_size_mismatch', { field: 'body', sizeBytes: 100 })];
    const unknown = await putContent(owner, 'att_01k0dem000e000000000009999', textFile('x'.repeat(101)));
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found')]);
    const long = await putContent(owner, id, textFile('x'.repeat(101)));
    expect([long.status, long.body]).toEqual(expected);
    const short = await putContent(owner, id, textFile('x'.repeat(99)));
    expect([short.status, short.body]).toEqual(expected);

    // The client sends without a length, and never ends.
    const authorization = `Bearer ${app.credentials.staff.token}`;
    const answered = await new Promise<{ status?: number; text: string }>((resolve, reject) => {
      const outgoing = request(
        `${app.url}${ATTACHMENTS}/${id}/content`,
        { method: 'PUT', headers: { authorization, 'content-type': 'application/octet-stream' } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('end', () => {
            resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
            outgoing.destroy();
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.write('y'.repeat(150));
    });
    expect([answered.status, JSON.parse(answered.text)]).toEqual(expected);

    expect(await read(id)).toMatchObject({ status: 'uploading', version: 1 });
    expect(filesWith(Buffer.from('x'.repeat(99)))).toEqual([]);
    expect((await putContent(owner, id, textFile('z'.repeat(100)))).status).toBe(200);
  });

  it('a file of another type is refused, and the upload can be repeated until the file is ready', async () => {
    const html = Buffer.from('<html><script>alert(1)</script></html>');
    const { id } = await newAttachment(owner, await onBooking(), { sizeBytes: html.length });
    const { status, body } = await putContent(owner, id, html);
    expect([status, body.code, body.details['field']]).toEqual([422, 'file_type_refused', 'body']);
    expect(await read(id)).toMatchObject({ status: 'refused', contentType: null, version: 2 });
    expect(filesWith(html)).toEqual([]);

    const good = textFile('x'.repeat(html.length));
    expect((await putContent(owner, id, good)).body.data).toMatchObject({ status: 'ready', version: 3 });
    expect((await putContent(owner, id, good)).body.data).toMatchObject({ status: 'ready', version: 3 });
    const other = await putContent(owner, id, textFile('y'.repeat(html.length)));
    expect([other.status, other.body]).toEqual([409, problem('attachment_ready', { attachmentId: id })]);
  });

  it('a file that is PDF and HTML at once is downloaded with its bytes and never shown', async () => {
    const both = Buffer.from('%PDF-1.7\n<html><script>alert(1)</script></html>\n%%EOF');
    const { id, contentType } = await attached(owner, await onBooking(), both, { fileName: 'page.html' });
    expect(contentType).toBe('application/pdf');
    const { headers, bytes } = await downloaded(app, owner, id);
    expect(bytes.equals(both)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="page.html.pdf"',
      'x-content-type-options': 'nosniff',
    });
  });

  it('the types are recognized by content, and images and archives are bounded by their headers', async () => {
    const subject = await onBooking();
    const typeOf = async (content: Buffer, fileName = 'file.bin') => {
      const { id } = await newAttachment(owner, subject, { sizeBytes: content.length, fileName });
      const { status, body } = await putContent(owner, id, content);
      return status === 200 ? body.data.contentType : body.code;
    };
    const office = 'application/vnd.openxmlformats-officedocument';
    expect(await typeOf(png({ width: 40, height: 20 }))).toBe('image/png');
    expect(await typeOf(png({ width: 20_000, height: 20_000, pixels: Buffer.alloc(9) }))).toBe('file_type_refused');
    expect(await typeOf(officeFile('docx'))).toBe(`${office}.wordprocessingml.document`);
    expect(await typeOf(officeFile('xlsx'))).toBe(`${office}.spreadsheetml.sheet`);
    expect(await typeOf(textFile('a;b\n1;2\n'), 'List.CSV')).toBe('text/csv');
    const bomb = { name: 'word/media.xml', content: Buffer.alloc(9 * 1024 * 1024), statedBytes: 10 };
    expect(await typeOf(officeFile('docx', [bomb]))).toBe('file_type_refused');
    const honest = { ...bomb, statedBytes: 200 * 1024 * 1024 };
    expect(await typeOf(officeFile('docx', [honest]))).toBe('file_type_refused');
    expect(await typeOf(officeFile('docx', [{ name: 'word/vbaProject.bin', content: 'x' }]))).toBe('file_type_refused');
    expect(await typeOf(officeFile('xlsx', [{ name: 'a', content: 'x', flags: 1 }]))).toBe('file_type_refused');
  });

  it('of two uploads at the same time one content is stored', async () => {
    const subject = await onBooking();
    const [one, other] = [textFile('one content'), textFile('two content')];
    const { id } = await newAttachment(owner, subject, { sizeBytes: one.length });
    const answers = await Promise.all([putContent(owner, id, one), putContent(owner, id, other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers[0].status === 200 ? one : other;
    expect((await downloaded(app, owner, id)).bytes.equals(winner)).toBe(true);

    const { id: second } = await newAttachment(owner, subject, { sizeBytes: one.length });
    const same = await Promise.all([putContent(owner, second, one), putContent(owner, second, one)]);
    expect(same.map(({ status, body }) => [status, body.data.version])).toEqual([
      [200, 2],
      [200, 2],
    ]);
  });

  it('a ready file is published, without its name', async () => {
    const { id, subjectId } = await attached(owner, await onBooking(), pdfFile());
    const [event] = await app.sql<{ data: object }>(
      `select data from outbox_events where event = 'attachment.ready' and data ->> 'attachmentId' = $1`,
      [id],
    );
    expect(event?.data).toMatchObject({
      subjectType: 'booking',
      subjectId,
      contentType: 'application/pdf',
      version: 2,
    });
    expect(event?.data).not.toHaveProperty('fileName');
  });
});

describe('who may read and change attachments', () => {
  it('reading a file needs the read scope of its record, and changing it the write scope', async () => {
    const { id, subjectId } = await attached(owner, await onBooking(), textFile());
    const reader = await staffWith(app, 'documents:*', 'bookings:read');
    const stranger = await staffWith(app, 'documents:*', 'customers:read');
    const without = await staffWith(app, 'bookings:*');
    expect((await reader.get(`${ATTACHMENTS}/${id}`)).status).toBe(200);
    const missing = (requiredScope: string) => [403, problem('forbidden', { requiredScope })];
    const answers = [
      [await stranger.get(`${ATTACHMENTS}/${id}`), 'bookings:read'],
      [await stranger.get(`${ATTACHMENTS}/${id}/download`), 'bookings:read'],
      [await without.get(`${ATTACHMENTS}/${id}`), 'documents:read'],
      [await reader.delete(`${ATTACHMENTS}/${id}`), 'bookings:write'],
      [await putContent(reader, id, textFile()), 'bookings:write'],
    ] as const;
    const large = await putContent(reader, id, Buffer.alloc(1_000_000));
    expect([large.status, large.body]).toEqual(missing('bookings:write'));
    for (const [{ status, body }, scope] of answers) expect([status, body]).toEqual(missing(scope));
    expect(await listed(`subjectId=${subjectId}`, reader)).toEqual([id]);
    expect(await listed(`subjectId=${subjectId}`, stranger)).toEqual([]);
    const refused = await stranger.get(`${ATTACHMENTS}?subjectType=booking`);
    expect([refused.status, refused.body]).toEqual(missing('bookings:read'));
  });

  it('a sensitive file is encrypted, hidden without customers:sensitive, and each of its downloads is recorded', async () => {
    const subject = await onCustomer();
    const content = pdfFile();
    const { id } = await attached(owner, subject, content, { visibility: 'sensitive' });
    expect(filesWith(content)).toEqual([]);
    expect((await downloaded(app, owner, id)).bytes.equals(content)).toBe(true);
    expect(await entryOf(app, id, 'documents.attachment.download')).toMatchObject({ subjectType: 'attachment' });

    const reader = await staffWith(app, 'documents:*', 'customers:*');
    const missing = [403, problem('forbidden', { requiredScope: 'customers:sensitive' })];
    const got = await reader.get(`${ATTACHMENTS}/${id}`);
    expect([got.status, got.body]).toEqual(missing);
    expect(await listed(`subjectId=${subject.subjectId}`, reader)).toEqual([]);
    const sensitive = await reader.get(`${ATTACHMENTS}?visibility=sensitive`);
    expect([sensitive.status, sensitive.body]).toEqual(missing);
  });
});

describe('the deletion of an attachment', () => {
  it('a deletion is reversed while the bytes exist, and of two equal files the other one keeps them', async () => {
    const subject = await onBooking();
    const content = textFile();
    const [one, other] = [await attached(owner, subject, content), await attached(owner, subject, content)];
    expect(filesWith(content)).toHaveLength(1);
    const deleted = await owner.delete<One<Attachment>>(`${ATTACHMENTS}/${one.id}`);
    expect([deleted.status, deleted.body.data.id]).toEqual([200, one.id]);
    expect((await owner.get(`${ATTACHMENTS}/${one.id}`)).status).toBe(404);
    await reversed(app, one.id, 'documents.attachment.delete');
    expect((await downloaded(app, owner, one.id)).bytes.equals(content)).toBe(true);

    await owner.delete(`${ATTACHMENTS}/${one.id}`);
    app.travel({ days: 8 });
    await sweep();
    expect((await downloaded(app, owner, other.id)).bytes.equals(content)).toBe(true);
    expect(await blocked(app, one.id, 'documents.attachment.delete')).toMatchObject({
      reason: 'attachment_bytes_deleted',
    });
    await owner.delete(`${ATTACHMENTS}/${other.id}`);
    app.travel({ days: 8 });
    await sweep();
    expect(filesWith(content)).toEqual([]);
    app.travel({ days: -16 });
  });

  it('an erasure keeps the bytes that an upload of the same file on another record uses at that time', async () => {
    const [customer, content] = [await onCustomer(), textFile()];
    const [former, other] = [
      await attached(owner, customer, content),
      await newAttachment(owner, await onBooking(), { sizeBytes: content.length }),
    ];
    const path = `${CUSTOMERS}/${customer.subjectId}/erasures`;
    const planned = await owner.post<One<{ id: string }>>(path, { reason: 'Request by letter' });
    const { id: erasureId } = planned.body.data;
    expect((await owner.post(`${path}/${erasureId}/execution`)).status).toBe(202);
    let erasing: Promise<void> = Promise.resolve();
    await asSystem(() =>
      database().transaction(async () => {
        await database().query(
          `select from attachment_contents where key = (select content_key from attachments where id = $1) for key share`,
          [former.id],
        );
        await database().execute(
          `update attachments row set (status, content_type, sha256, content_key, ready_at) =
             (select status, content_type, sha256, content_key, ready_at from attachments where id = $1) where id = $2`,
          [former.id, other.id],
        );
        erasing = apart(() => app.nest.get(ErasuresService, { strict: false }).erase({ erasureId }));
        await untilWaiting();
      }),
    );
    await erasing;
    expect((await owner.get(`${ATTACHMENTS}/${former.id}`)).status).toBe(404);
    expect((await downloaded(app, owner, other.id)).bytes.equals(content)).toBe(true);
  });

  it('a creation can be reversed before the upload', async () => {
    const { id } = await newAttachment(owner, await onBooking());
    await reversed(app, id, 'documents.attachment.create');
    expect((await owner.get(`${ATTACHMENTS}/${id}`)).status).toBe(404);
  });
});

describe('the end of attachments', () => {
  it('files end with the personal data of their record, those of travelers with the travel data, and those of deleted ones', async () => {
    const { booking } = await confirmedBooking(owner, { item: { serviceDate: app.day(10) } });
    const leaving = await addTraveler(owner, booking.id, { lastName: 'Pop' });
    const staying = await addTraveler(owner, booking.id, { lastName: 'Stan' });
    const past = await makeBooking(owner);
    const trip = await makeTrip(owner, [MANUAL], { title: 'Delta' });
    const contract = await draftContract(app, { title: 'Terms' });
    const [reference] = await app.sql<{ id: string }>('select id from contracts where public_id = $1', [contract.id]);
    const fileOn = async (subjectType: string, subjectId: unknown) => {
      const content = textFile();
      const { id } = await attached(owner, { subjectType, subjectId }, content);
      return { id, content };
    };
    const files = {
      deleted: await fileOn('traveler', leaving.id),
      traveler: await fileOn('traveler', staying.id),
      erased: await fileOn('booking', past.id),
      trip: await fileOn('trip', trip.envelopeId),
      contract: await fileOn('contract', reference?.id),
      kept: await fileOn('booking', booking.id),
    };
    const left = async () => {
      const found: string[] = [];
      for (const [name, { id, content }] of Object.entries(files)) {
        const { status } = await owner.get(`${ATTACHMENTS}/${id}`);
        expect([name, filesWith(content).length]).toEqual([name, status === 200 ? 1 : 0]);
        if (status === 200) found.push(name);
      }
      return found;
    };
    await eraseEnded();
    expect(await left()).toEqual(Object.keys(files));

    expect((await owner.delete(`${travelersOf(booking.id)}/${leaving.id}`)).status).toBe(200);
    await app.sql(`update bookings set erased_at = now() where id = $1`, [past.id]);
    await app.sql(`update trip_envelopes set erased_at = now() where id = $1`, [trip.envelopeId]);
    await app.sql(
      `update contracts set erased_at = now(), body = '', recipient_name = null, recipient_email = null, metadata = null where id = $1`,
      [reference?.id],
    );
    await eraseEnded();
    expect(await left()).toEqual(['traveler', 'kept']);
    const [{ count } = {}] = await app.sql<{ count: string }>(
      `select count(*) from ledger_payloads payload join action_ledger_entries entry on entry.id = payload.entry_id
       where entry.subject_id = $1 and payload.after is not null`,
      [files.erased.id],
    );
    expect(Number(count)).toBe(0);

    app.travel({ days: 45 });
    await eraseEnded();
    expect(await left()).toEqual(['kept']);
    app.travel({ days: -45 });
  });
});

describe('attachments of customers', () => {
  it('they follow a merge, and return when it is reversed', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const { id } = await newAttachment(owner, { subjectType: 'customer', subjectId: duplicate.id });
    await owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] });
    expect((await read(id)).subjectId).toBe(survivor.id);
    const { status, body } = await owner.post(ATTACHMENTS, {
      ...{ subjectType: 'customer', subjectId: duplicate.id, fileName: 'a.txt', sizeBytes: 1, visibility: 'internal' },
    });
    expect([status, body]).toEqual([409, problem('customer_merged', { field: 'subjectId' })]);
    await reversed(app, survivor.id, 'customers.customer.merge');
    expect((await read(id)).subjectId).toBe(duplicate.id);
  });
});
