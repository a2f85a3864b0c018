import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AttachmentsService } from '../../src/modules/documents/index.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { unavailable } from '../../src/platform/errors/app-error.js';
import { invalid, makeBooking, type One, problem, staffWith } from '../bookings/bookings.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { newCustomer } from '../customers/customers.js';
import { attached, ATTACHMENTS, newAttachment, pdfFile, textFile } from '../documents/attachments.js';
import { hire } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type MailServer, startMailServer } from './mail-server.js';
import type { Message } from './reminders.js';

const NOTIFICATIONS = '/v1/admin/notifications';
const MESSAGES = `${NOTIFICATIONS}/messages`;
const TEMPLATES = `${NOTIFICATIONS}/templates`;
const WRITTEN = { subject: 'Your question', text: 'The hotel has a lift.' };

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: {
      ...{ JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
      ...{ RATE_LIMIT_FACTOR: '1000', LOG_LEVEL: 'error' },
    },
  });
  owner = app.as('owner');
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const address = () => `clara-${randomUUID()}@example.com`;
const send = (body: object, client = owner) => client.post<One<Message>>(MESSAGES, body);
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);

async function published(over: object = {}): Promise<string> {
  const texts = { subject: 'News for {{customer.name}}', text: 'Dear {{customer.name}}, see you soon.' };
  const body = { slug: `t-${randomUUID()}`, language: 'en', ...texts, ...over };
  const created = await owner.post<One<{ id: string }>>(TEMPLATES, body);
  expect(created.status).toBe(201);
  expect((await owner.post(`${TEMPLATES}/${created.body.data.id}/publication`)).status).toBe(200);
  return created.body.data.id;
}

describe('a message that staff send', () => {
  it('it goes to the address of the booking, or to another one of the booking and its customer, and to no other', async () => {
    const [first, second] = [address(), address()];
    const emails = [{ address: second }, { address: first, isPrimary: true }];
    const { id: customerId } = await newCustomer(app, { emails });
    const { id: bookingId } = await makeBooking(owner, { customerId });
    const sent = await send({ bookingId, ...WRITTEN });
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      {
        ...{ kind: 'manual', status: 'queued', bookingId, customerId, templateId: null },
        createdBy: expect.stringMatching(/^user_/),
      },
    ]);
    expect((await send({ bookingId, recipientEmail: second.toUpperCase(), ...WRITTEN })).status).toBe(201);
    const foreign = await send({ bookingId, recipientEmail: address(), ...WRITTEN });
    expect([foreign.status, foreign.body]).toEqual([
      422,
      problem('recipient_not_on_record', { field: 'recipientEmail' }),
    ]);
    expect((await send({ customerId, ...WRITTEN })).body.data).toMatchObject({ customerId, bookingId: null });
    await work();
    expect(mailsTo(first)).toMatchObject([
      { subject: 'Your question', text: expect.stringContaining('The hotel has a lift.') },
      {},
    ]);
    expect(mailsTo(second)).toHaveLength(1);

    expect((await owner.post(`${NOTIFICATIONS}/suppressions`, { address: first })).status).toBe(201);
    expect((await send({ bookingId, ...WRITTEN })).body).toMatchObject({ code: 'recipient_suppressed' });
    const { id: withoutAddress } = await makeBooking(owner);
    expect((await send({ bookingId: withoutAddress, ...WRITTEN })).body).toEqual(problem('no_recipient'));
  });

  it('a template writes it, if it is published for such messages and all of its placeholders have a value', async () => {
    const recipient = address();
    const { id: customerId } = await newCustomer(app, { emails: [{ address: recipient, isPrimary: true }] });
    const templateId = await published();
    expect((await send({ customerId, templateId })).body.data).toMatchObject({ templateId, kind: 'manual' });
    await work();
    expect(mailsTo(recipient)).toMatchObject([
      { subject: expect.stringMatching(/^News for \w/), html: expect.stringContaining('see you soon') },
    ]);

    const ofBooking = await published({ text: 'Your booking {{booking.number}}' });
    const missing = await send({ customerId, templateId: ofBooking });
    expect([missing.status, missing.body]).toEqual([
      422,
      problem('placeholder_missing', { field: 'templateId', missing: ['booking.number'] }),
    ]);
    const rejected = await send({ customerId, templateId: await published({ trigger: 'booking_confirmed' }) });
    expect([rejected.status, rejected.body]).toMatchObject([422, { code: 'template_not_usable' }]);
  });

  it.each([
    [{ ...WRITTEN }, 'bookingId', 'required'],
    [{ bookingId: 'book_1', customerId: 'cus_1', ...WRITTEN }, 'customerId', 'not_applicable'],
    [{ bookingId: 'book_1', subject: 'Only a subject' }, 'text', 'required'],
    [{ bookingId: 'book_1', templateId: 'mtpl_1', text: 'Also a text' }, 'text', 'not_applicable'],
  ])('%j is invalid: %s', async (body, path, code) => {
    const filled = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, value.replace(/_1$/, '_01k0dem000e000000000009999')]),
    );
    const { status, body: answer } = await send(filled);
    expect([status, answer]).toEqual([400, invalid(path, code)]);
  });

  it('it needs the scope to read its record, which must exist', async () => {
    const { id: bookingId } = await makeBooking(owner, { customerEmail: address() });
    const writer = await staffWith(app, 'notifications:write');
    expect((await send({ bookingId, ...WRITTEN }, writer)).status).toBe(403);
    const both = await staffWith(app, 'notifications:write', 'bookings:read');
    expect((await send({ bookingId, ...WRITTEN }, both)).status).toBe(201);
    const unknown = await send({ bookingId: 'book_01k0dem000e000000000009999', ...WRITTEN });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'bookingId' })]);
  });

  it('parallel requests of a user do not exceed 200 messages a day', async () => {
    const { id: bookingId } = await makeBooking(owner, { customerEmail: address() });
    const { id, createdBy } = (await send({ bookingId, ...WRITTEN })).body.data;
    await app.sql(
      `insert into notification_messages (id, kind, status, recipient, recipient_kind, subject, text, attempts, send_at, created_at,
         updated_at, sent_at, created_by)
       select 'nmsg_' || md5($1 || n), 'manual', 'sent', recipient, 'primary', 'x', 'x', 1, created_at, created_at, created_at,
         created_at, created_by
       from notification_messages, generate_series(1, 198 - (select count(*)::int from notification_messages where created_by = $2)) as n
       where id = $1`,
      [id, createdBy],
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => send({ bookingId, ...WRITTEN })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(problem('daily_limit_reached', { limit: 200 }));
  });
});

const FOR_CUSTOMER = { visibility: 'customer' };

describe('a message with attachments', () => {
  // The owner has sent the messages of a day.
  let sender: TestClient;
  beforeAll(async () => {
    sender = (await hire(app, ['manager'])).client;
  });
  async function aBooking() {
    const recipient = address();
    const { id: customerId } = await newCustomer(app, { emails: [{ address: recipient, isPrimary: true }] });
    const { id: bookingId } = await makeBooking(owner, { customerId });
    return {
      ...{ recipient, bookingId, customerId },
      booking: { subjectType: 'booking', subjectId: bookingId },
      customer: { subjectType: 'customer', subjectId: customerId },
    };
  }

  it('the mail carries attachments of the booking and its customer', async () => {
    const { recipient, bookingId, booking, customer } = await aBooking();
    const [pdf, text] = [pdfFile(), textFile()];
    const first = await attached(owner, booking, pdf, { fileName: 'Gästeliste.pdf', ...FOR_CUSTOMER });
    const second = await attached(owner, customer, text, { fileName: 'note.txt', ...FOR_CUSTOMER });
    const sent = await send({ bookingId, ...WRITTEN, attachmentIds: [first.id, second.id] }, sender);
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      {
        kind: 'document',
        files: [
          { attachmentId: first.id, fileName: 'Gästeliste.pdf', sizeBytes: pdf.length },
          { attachmentId: second.id, fileName: 'note.txt', sizeBytes: text.length },
        ],
      },
    ]);
    await work();
    const [mail, ...others] = mailsTo(recipient);
    expect(others).toEqual([]);
    expect(mail?.text).toContain('The hotel has a lift.');
    expect(mail?.attachments).toMatchObject([
      { filename: 'Gästeliste.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
      { filename: 'note.txt', mimeType: 'text/plain', disposition: 'attachment' },
    ]);
    expect(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer).equals(pdf)).toBe(true);
  });

  it('a message whose attachment was deleted in the meantime fails, and the mail is not sent', async () => {
    const { recipient, bookingId, booking } = await aBooking();
    const { id } = await attached(owner, booking, textFile(), FOR_CUSTOMER);
    const sent = await send({ bookingId, ...WRITTEN, attachmentIds: [id] }, sender);
    await owner.delete(`${ATTACHMENTS}/${id}`);
    await work();
    expect(mailsTo(recipient)).toEqual([]);
    const { body } = await owner.get<One<Message>>(`${MESSAGES}/${sent.body.data.id}`);
    expect(body.data).toMatchObject({ status: 'failed', reason: 'file_missing', attempts: 1 });
  });

  it('attachments of other records, sensitive and unfinished ones are rejected', async () => {
    const { bookingId, customerId, booking, customer } = await aBooking();
    const other = await aBooking();
    const field = 'attachmentIds.0';
    const refusal = async (attachmentIds: string[], over: object = { bookingId }) => {
      const { status, body } = await send({ ...over, ...WRITTEN, attachmentIds }, sender);
      return [status, body];
    };
    const foreign = await attached(owner, other.booking, textFile(), FOR_CUSTOMER);
    expect(await refusal([foreign.id])).toEqual([422, problem('attachment_not_on_record', { field })]);
    const ofBooking = await attached(owner, booking, textFile(), FOR_CUSTOMER);
    expect(await refusal([ofBooking.id], { customerId })).toEqual([
      422,
      problem('attachment_not_on_record', { field }),
    ]);
    const sensitive = await attached(owner, customer, textFile(), { visibility: 'sensitive' });
    expect(await refusal([sensitive.id])).toEqual([422, problem('attachment_sensitive', { field })]);
    const internal = await attached(owner, booking, textFile());
    expect(await refusal([internal.id])).toEqual([422, problem('attachment_internal', { field })]);
    const unfinished = await newAttachment(owner, booking, FOR_CUSTOMER);
    expect(await refusal([unfinished.id])).toEqual([409, problem('file_not_ready', { field, status: 'uploading' })]);
    expect(await refusal(['att_01k0dem000e000000000009999'])).toEqual([404, problem('not_found', { field })]);

    const one = await attached(owner, booking, textFile(), FOR_CUSTOMER);
    const without = await staffWith(app, 'notifications:write', 'bookings:read');
    const { status, body } = await send({ bookingId, ...WRITTEN, attachmentIds: [one.id] }, without);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'documents:read' })]);
    const ofCustomer = await attached(owner, customer, textFile(), FOR_CUSTOMER);
    const reader = await staffWith(app, 'notifications:write', 'bookings:read', 'documents:read');
    const unreadable = await send({ bookingId, ...WRITTEN, attachmentIds: [ofCustomer.id] }, reader);
    expect([unreadable.status, unreadable.body]).toEqual([
      403,
      problem('forbidden', { requiredScope: 'customers:read' }),
    ]);
  });

  it('files beyond 10 MiB are linked for seven days, until they are deleted', async () => {
    const { recipient, bookingId, booking } = await aBooking();
    const content = ['a', 'b', 'c'].map((letter) => Buffer.alloc(6 * 1024 * 1024, letter));
    const ids: string[] = [];
    for (const [index, bytes] of content.entries()) {
      ids.push((await attached(owner, booking, bytes, { fileName: `map-${index}.txt`, ...FOR_CUSTOMER })).id);
    }
    const sent = await send({ bookingId, ...WRITTEN, attachmentIds: ids }, sender);
    expect(sent.status).toBe(201);
    await work();
    const [mail] = mailsTo(recipient);
    expect(mail?.attachments).toMatchObject([{ filename: 'map-0.txt' }]);
    const links = (mail?.text ?? '').match(/\/v1\/files\/[0-9a-z]{51}/g) ?? [];
    expect(links).toHaveLength(2);
    expect(mail?.text).toContain('These files are too large for a mail. You can download them until ');
    const { body } = await owner.get<One<Message>>(`${MESSAGES}/${sent.body.data.id}`);
    expect(JSON.stringify(body)).not.toContain('/v1/files/');

    for (const [index, link] of links.entries()) {
      const file = await fetchFile(app.url + link);
      expect([file.status, file.bytes.equals(content[index + 1] ?? Buffer.alloc(0))]).toEqual([200, true]);
      expect(file.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="map-${index + 1}.txt"`,
        'cache-control': 'private, no-store',
      });
    }
    const [first = '', second = ''] = links;
    const forged = first.slice(0, -25) + second.slice(-25).split('').reverse().join('');
    expect((await fetchFile(app.url + forged)).status).toBe(404);
    expect((await owner.delete(`${ATTACHMENTS}/${ids[1]}`)).status).toBe(200);
    expect((await fetchFile(app.url + first)).status).toBe(404);
    app.travel({ days: 6 });
    expect((await fetchFile(app.url + second)).status).toBe(200);
    app.travel({ days: 1 });
    expect((await fetchFile(app.url + second)).status).toBe(404);
    app.travel({ days: -7 });
  });

  it('sending it again needs the same scopes, and without its files it is not sent', async () => {
    const { recipient, bookingId, booking } = await aBooking();
    const { id } = await attached(owner, booking, textFile(), FOR_CUSTOMER);
    const sent = await send({ bookingId, ...WRITTEN, attachmentIds: [id] }, sender);
    const messageId = sent.body.data.id;
    await app.sql(`update notification_messages set status = 'failed', reason = 'rejected' where id = $1`, [messageId]);
    const resend = (client: TestClient) => client.post<One<Message>>(`${MESSAGES}/${messageId}/resend`);
    for (const [scopes, requiredScope] of [
      [['bookings:read'], 'documents:read'],
      [['documents:read'], 'bookings:read'],
    ] as const) {
      const { status, body } = await resend(await staffWith(app, 'notifications:write', ...scopes));
      expect([status, body]).toEqual([403, problem('forbidden', { requiredScope })]);
    }
    const resent = await resend(sender);
    const { createdBy } = sent.body.data;
    expect([resent.status, resent.body.data]).toMatchObject([
      ...[201, { kind: 'document', files: [{ attachmentId: id }], resendOf: messageId, createdBy }],
    ]);
    await app.sql(`update notification_messages set files = '[]' where id = $1`, [resent.body.data.id]);
    await work();
    const { body } = await owner.get<One<Message>>(`${MESSAGES}/${resent.body.data.id}`);
    expect(body.data).toMatchObject({ status: 'failed', reason: 'file_missing' });
    expect(mailsTo(recipient)).toEqual([]);
  });

  it('a file that cannot be read ends the message, and the fault is logged', async () => {
    const { recipient, bookingId, booking } = await aBooking();
    const { id } = await attached(owner, booking, textFile(), FOR_CUSTOMER);
    const sent = await send({ bookingId, ...WRITTEN, attachmentIds: [id] }, sender);
    const files = jest.spyOn(app.nest.get(AttachmentsService, { strict: false }), 'findContent');
    files.mockRejectedValueOnce(unavailable('The store is away'));
    await work();
    const read = async () => (await owner.get<One<Message>>(`${MESSAGES}/${sent.body.data.id}`)).body.data;
    expect(await read()).toMatchObject({ status: 'queued', attempts: 1 });
    files.mockRejectedValueOnce(new Error('The file is damaged'));
    app.travel({ days: 1 });
    await work();
    expect(await read()).toMatchObject({ status: 'failed', reason: 'file_missing', attempts: 2 });
    app.travel({ days: -1 });
    files.mockRestore();
    expect(mailsTo(recipient)).toEqual([]);
    expect(app.logs.filter((line) => line.includes('A file of a mail cannot be read'))).toHaveLength(1);
    expect(app.logs.join()).not.toContain(recipient);
  });
});

describe('a test message', () => {
  it('shows a draft to the calling user only, and counts as a message of the day', async () => {
    const { user, client } = await hire(app, ['operations']);
    const { id: bookingId } = await makeBooking(owner, { customerEmail: address(), customerName: 'Clara' });
    const body = {
      slug: `t-${randomUUID()}`,
      language: 'en',
      subject: 'News for {{customer.name}}',
      text: 'See you soon.',
    };
    const { id } = (await owner.post<One<{ id: string }>>(TEMPLATES, body)).body.data;
    const test = (options: object, by = client) => by.post<One<Message>>(`${TEMPLATES}/${id}/test-messages`, options);

    const sent = await test({ bookingId });
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      { kind: 'test', bookingId, customerId: null, templateId: id, createdBy: expect.stringMatching(/^user_/) },
    ]);
    await work();
    expect(mailsTo(user.email)).toMatchObject([{ subject: '[Test] News for Clara', text: 'See you soon.\n' }]);

    const wrong = await test({ bookingId, sample: true });
    expect([wrong.status, wrong.body]).toEqual([400, invalid('sample', 'not_applicable')]);
    expect((await test({}, owner)).status).toBe(400);
    const reader = await staffWith(app, 'notifications:read', 'bookings:read');
    expect((await test({ bookingId }, reader)).status).toBe(403);
    const suppression = { address: user.email };
    expect((await owner.post(`${NOTIFICATIONS}/suppressions`, suppression)).status).toBe(201);
    const suppressed = await test({ sample: true });
    expect([suppressed.status, suppressed.body]).toMatchObject([409, { code: 'recipient_suppressed' }]);
  });
});
