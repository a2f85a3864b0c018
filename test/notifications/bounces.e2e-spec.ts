import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { BOOKINGS, invalid, makeBooking, type One, type Page, problem } from '../bookings/bookings.js';
import { newCustomer } from '../customers/customers.js';
import { TASKS } from '../desk/tasks.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dueRun } from './due-run.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { type Message, runsOf } from './reminders.js';

const NOTIFICATIONS = '/v1/admin/notifications';
const REPORTS = '/v1/public/notifications/bounce-reports';
const MAILS = '/v1/public/notifications/bounce-mails';
const SECRET = 'of-the-mail-server-Zq7Kv2Xw9LmB4tRy5';
const FAILED = { kind: 'bounce', action: 'failed' };
const DAY_OF_BOUNCES = 14;

interface Report {
  kind?: string;
  token?: string;
  envelopeSender?: string;
  action?: string;
  status?: string;
}

let server: MailServer;
let app: TestApp;
let owner: TestClient;
let reporter: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: {
      ...{ JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
      ...{ BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_REPORT_SECRET: SECRET },
      ...{ REMINDERS_PER_DAY: '1000', RATE_LIMIT_FACTOR: '1000' },
    },
  });
  owner = app.as('owner');
  reporter = app.with(SECRET);
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const address = (kind = 'clara') => `${kind}-${randomUUID()}@example.com`;
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);
const messageOf = async (id: string) => (await owner.get<One<Message>>(`${NOTIFICATIONS}/messages/${id}`)).body.data;

/** Sends a message to this address, and returns its id and its envelope sender. */
async function sent(recipient: string, customerId?: string): Promise<{ id: string; envelopeSender: string }> {
  const subject = { subject: 'Your question', text: 'The hotel has a lift.' };
  const about =
    customerId === undefined
      ? { bookingId: (await makeBooking(owner, { customerEmail: recipient })).id }
      : { customerId, recipientEmail: recipient };
  const { body } = await owner.post<One<Message>>(`${NOTIFICATIONS}/messages`, { ...about, ...subject });
  await work();
  return { id: body.data.id, envelopeSender: mailsTo(recipient).at(-1)?.envelopeSender ?? '' };
}

async function report(body: Report, client = reporter): Promise<string> {
  const answer = await client.post<One<{ result: string }>>(REPORTS, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data.result;
}

/** Returns the mail as a mail server does. */
async function returned(to: string, status: string, action = 'failed', client = reporter) {
  const fields = `Reporting-MTA: dns; mx.example.org\r\n\r\nFinal-Recipient: rfc822; x@example.org\r\nAction: ${action}\r\nStatus: ${status}`;
  const mail = [
    `To: ${to}`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    `\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${fields}\r\n\r\n--b--\r\n`,
  ].join('\r\n');
  return client.post<One<{ result: string }>>(MAILS, undefined, {
    body: Buffer.from(mail),
    headers: { 'Content-Type': 'message/rfc822' },
  });
}

async function suppressionsOf(
  email: string,
): Promise<{ id: string; scope: string; reason: string; messageId: string }[]> {
  const path = `${NOTIFICATIONS}/suppressions?active=true&address=${encodeURIComponent(email)}`;
  return (await owner.get<Page<{ id: string; scope: string; reason: string; messageId: string }>>(path)).body.data;
}

describe('a mail that comes back', () => {
  it('a mail returned with 5.x.x suppresses its address once, raises a task, and can be sent again', async () => {
    const email = address();
    const { id, envelopeSender } = await sent(email);
    expect(envelopeSender).toMatch(/^bounces\+[0-9a-z]{51}@bounces\.example\.com$/);
    expect(mailsTo(email)).toMatchObject([{ from: { address: 'office@example.com' } }]);

    const answers = await Promise.all(Array.from({ length: 4 }, () => returned(envelopeSender, '5.1.1')));
    expect(answers.map(({ body }) => body.data.result).sort()).toEqual([
      'recorded',
      'repeated',
      'repeated',
      'repeated',
    ]);
    const message = await messageOf(id);
    expect(message).toMatchObject({
      ...{ status: 'bounced', reason: 'hard_bounce', error: 'Reported with status 5.1.1' },
      ...{ sentAt: expect.any(String), reportedAt: expect.any(String) },
    });
    expect(await suppressionsOf(email)).toMatchObject([{ scope: 'all', reason: 'hard_bounce', messageId: id }]);
    const tasks = await owner.get<Page<object>>(
      `${TASKS}?subjectId=${String(message['bookingId'])}&source=recipient_suppressed`,
    );
    expect(tasks.body.data).toMatchObject([{ status: 'open' }]);
    const listed = await owner.get<Page<Message>>(
      `${NOTIFICATIONS}/messages?status=bounced,complained&recipient=${email}`,
    );
    expect(listed.body.data).toMatchObject([{ id }]);
    const events = await app.sql(
      `select data from outbox_events where event = 'message.bounced' and data ->> 'messageId' = $1`,
      [id],
    );
    expect(events).toMatchObject([{ data: { messageId: id, reason: 'hard_bounce' } }]);

    const [{ id: suppressionId = '' } = {}] = await suppressionsOf(email);
    await owner.post(`${NOTIFICATIONS}/suppressions/${suppressionId}/lifting`, { reason: 'The mailbox works again' });
    const resent = await owner.post<One<Message>>(`${NOTIFICATIONS}/messages/${id}/resend`, {});
    expect([resent.status, resent.body.data]).toMatchObject([201, { status: 'queued', resendOf: id }]);
  });

  it('three mails returned with 4.x.x within 14 days suppress the address, also if they are reported at once', async () => {
    const email = address();
    const mails = [await sent(email), await sent(email), await sent(email)];
    app.travel({ days: DAY_OF_BOUNCES });
    const old = await sent(address());
    expect(await report({ ...FAILED, status: '4.2.2', envelopeSender: old.envelopeSender })).toBe('recorded');
    const results = await Promise.all(
      mails.map(({ envelopeSender }) => report({ ...FAILED, status: '4.4.7', envelopeSender })),
    );
    expect(results).toEqual(['recorded', 'recorded', 'recorded']);
    expect(await messageOf(mails[0]?.id ?? '')).toMatchObject({ status: 'bounced', reason: 'soft_bounce' });
    expect(await suppressionsOf(email)).toMatchObject([{ scope: 'all', reason: 'hard_bounce' }]);
    // A later report that the address does not exist still counts.
    expect(await report({ ...FAILED, status: '5.1.1', envelopeSender: old.envelopeSender })).toBe('recorded');
    expect(await messageOf(old.id)).toMatchObject({ status: 'bounced', reason: 'hard_bounce' });
  });

  it('two soft bounces, and a third one 14 days later, suppress nothing', async () => {
    const email = address();
    const [first, second, third] = [await sent(email), await sent(email), await sent(email)];
    await report({ ...FAILED, status: '4.2.2', envelopeSender: first.envelopeSender });
    await report({ ...FAILED, status: '4.2.2', envelopeSender: second.envelopeSender });
    app.travel({ days: DAY_OF_BOUNCES });
    await report({ ...FAILED, status: '4.2.2', envelopeSender: third.envelopeSender });
    expect(await suppressionsOf(email)).toEqual([]);
  });

  it('a rejection for policy or content fails the mail, and a delay changes nothing; neither suppresses the address', async () => {
    const email = address();
    const { id, envelopeSender } = await sent(email);
    expect((await returned(envelopeSender, '4.4.1', 'delayed')).body.data.result).toBe('ignored');
    expect(await messageOf(id)).toMatchObject({ status: 'sent', reportedAt: null });
    expect((await returned(envelopeSender, '5.7.1')).body.data.result).toBe('recorded');
    expect(await messageOf(id)).toMatchObject({ status: 'failed', reason: 'rejected' });
    expect((await returned(envelopeSender, '5.7.1')).body.data.result).toBe('repeated');
    expect(await suppressionsOf(email)).toEqual([]);
  });

  it('a complaint suppresses marketing only', async () => {
    const email = address();
    const { id, envelopeSender } = await sent(email);
    expect(await report({ kind: 'complaint', envelopeSender })).toBe('recorded');
    expect(await report({ kind: 'complaint', token: /\+(.*)@/.exec(envelopeSender)?.[1] ?? '' })).toBe('repeated');
    expect(await messageOf(id)).toMatchObject({ status: 'complained', reason: 'complaint' });
    expect(await suppressionsOf(email)).toMatchObject([{ scope: 'marketing', reason: 'complaint' }]);
    await sent(email);
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('a returned reminder failed, and is sent to a corrected address; a late report about the former one changes nothing', async () => {
    const email = address();
    const { bookingId, rule, message } = await dueRun(app, { email });
    await work();
    const { envelopeSender = '' } = mailsTo(email)[0] ?? {};
    expect((await returned(envelopeSender, '5.1.1')).body.data.result).toBe('recorded');
    expect(await runsOf(app, bookingId, rule.id)).toMatchObject([{ status: 'failed', reason: 'hard_bounce' }]);

    const corrected = address();
    await owner.patch(`${BOOKINGS}/${bookingId}`, { customerEmail: corrected });
    await work();
    expect(await runsOf(app, bookingId, rule.id)).toMatchObject([{ status: 'sent' }]);
    expect(mailsTo(corrected)).toHaveLength(1);
    expect((await returned(envelopeSender, '5.1.1')).body.data.result).toBe('ignored');
    expect(await suppressionsOf(corrected)).toEqual([]);
    expect(await message()).toMatchObject({ status: 'sent' });
    expect((await returned(mailsTo(corrected)[0]?.envelopeSender ?? '', '5.1.1')).body.data.result).toBe('recorded');
  });
});

describe('a forged report', () => {
  it('a report without the token of the mail suppresses nobody, whatever else it names', async () => {
    const email = address();
    const { id, envelopeSender } = await sent(email);
    const forged = envelopeSender.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'));
    for (const to of [email, `bounces+${id}@bounces.example.com`, forged]) {
      expect((await returned(to, '5.1.1')).body.data.result).toBe('ignored');
      expect(await report({ ...FAILED, status: '5.1.1', envelopeSender: to })).toBe('ignored');
    }
    expect(await messageOf(id)).toMatchObject({ status: 'sent' });
    expect(await suppressionsOf(email)).toEqual([]);
  });

  it('a report without the secret is rejected before its body is read', async () => {
    const { envelopeSender } = await sent(address());
    const body = { ...FAILED, status: '5.1.1', envelopeSender };
    for (const client of [app, app.with(`${SECRET}x`), owner]) {
      const { status, headers } = await client.post(REPORTS, body);
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
      expect((await returned(envelopeSender, '5.1.1', 'failed', client)).status).toBe(401);
      const broken = { body: Buffer.from('{'), headers: { 'Content-Type': 'text/plain' } };
      expect((await client.post(MAILS, undefined, broken)).status).toBe(401);
    }
  });

  it.each([
    [{ ...FAILED, status: '5.1.1' }, 'token', 'required'],
    [{ ...FAILED, status: '5.1.1', token: 'x', envelopeSender: 'x' }, 'envelopeSender', 'not_applicable'],
    [{ kind: 'bounce', token: 'x', status: '5.1.1' }, 'action', 'required'],
    [{ ...FAILED, token: 'x' }, 'status', 'required'],
  ])('%j is invalid: %s', async (body, path, code) => {
    const answer = await reporter.post(REPORTS, body);
    expect([answer.status, answer.body]).toEqual([400, invalid(path, code)]);
  });

  it('a mail of another type or of more than 256 KiB is rejected', async () => {
    const send = (body: Buffer, type: string) =>
      reporter.post(MAILS, undefined, { body, headers: { 'Content-Type': type } });
    expect((await send(Buffer.from('To: x\r\n\r\n'), 'text/plain')).status).toBe(415);
    expect((await send(Buffer.alloc(256 * 1024 + 1, 'x'), 'message/rfc822')).status).toBe(413);
    expect((await send(Buffer.alloc(256 * 1024, 'x'), 'message/rfc822')).body).toEqual({ data: { result: 'ignored' } });
  });
});

describe('the status of a returned mail', () => {
  it('what follows the code is not stored, however long it is', async () => {
    const email = address();
    const { id, envelopeSender } = await sent(email);
    expect((await returned(envelopeSender, `5.1.1${'x'.repeat(900)}`)).body.data.result).toBe('recorded');
    expect(await messageOf(id)).toMatchObject({ status: 'bounced', error: 'Reported with status 5.1.1' });
  });
});

describe('the report of an erased person', () => {
  it('a report about a mail to an erased person changes nothing', async () => {
    const email = address();
    const { id: customerId } = await newCustomer(app, { emails: [{ address: email, isPrimary: true }] });
    const { id, envelopeSender } = await sent(email, customerId);
    await app.sql(`update notification_messages set recipient = 'erased', erased_at = now() where id = $1`, [id]);
    expect((await returned(envelopeSender, '5.1.1')).body.data.result).toBe('ignored');
    expect(await messageOf(id)).toMatchObject({ status: 'sent' });
    expect(await suppressionsOf('erased')).toEqual([]);
  });
});

describe('without a secret', () => {
  it('reports are 404', async () => {
    const other = await startApp({ env: { JOBS: 'false', BOUNCE_REPORT_SECRET: '' } });
    const answer = await other.with(SECRET).post(REPORTS, { kind: 'complaint', token: 'x' });
    expect([answer.status, answer.body]).toEqual([404, problem('not_found')]);
  });
});
