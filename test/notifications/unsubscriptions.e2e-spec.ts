import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ErasuresService } from '../../src/modules/customers/privacy/erasures.service.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { makeBooking, type One, type Page, problem } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type MailServer, startMailServer } from './mail-server.js';
import type { Message } from './reminders.js';

const NOTIFICATIONS = '/v1/admin/notifications';
const MESSAGES = `${NOTIFICATIONS}/messages`;
const UNSUBSCRIPTIONS = '/v1/public/notifications/unsubscriptions';
const OFFER = { category: 'marketing', subject: 'New trips', text: 'See our new trips.' };
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: {
      ...{ JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
      ...{ RATE_LIMIT_FACTOR: '1000', LOG_LEVEL: 'info' },
    },
  });
  owner = app.as('owner');
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);
const send = (body: object) => owner.post<One<Message>>(MESSAGES, { ...OFFER, ...body });
const messageOf = async (id: string) => (await owner.get<One<Message>>(`${MESSAGES}/${id}`)).body.data;
const consent = (customerId: string, granted: boolean) =>
  owner.post(`${CUSTOMERS}/${customerId}/consents`, { purpose: 'marketing_email', granted, source: 'form' });
const confirm = (path: string) => app.post(path, undefined, { body: undefined, raw: ONE_CLICK, headers: FORM });

/** A customer with an address, who consents to marketing mails. */
async function reader(over: object = {}): Promise<{ customerId: string; email: string }> {
  const email = `clara-${randomUUID()}@example.com`;
  const { id } = await newCustomer(app, { emails: [{ address: email, isPrimary: true }], ...over });
  expect((await consent(id, true)).status).toBe(201);
  return { customerId: id, email };
}

/** Sends a marketing mail, and returns its id and the path of its unsubscription. */
async function sent({ customerId, email }: { customerId: string; email: string }) {
  const { status, body } = await send({ customerId });
  expect([status, body.data]).toMatchObject([201, { kind: 'marketing', customerId, status: 'queued' }]);
  await work();
  const headers = new Map(
    mailsTo(email)
      .at(-1)
      ?.headers.map(({ key, value }) => [key, value]),
  );
  expect(headers.get('list-unsubscribe-post')).toBe(ONE_CLICK);
  const link = /^<https?:\/\/[^/]+(\/v1\/public\/notifications\/unsubscriptions\/[0-9a-z]{51})>$/;
  return { id: body.data.id, path: link.exec(headers.get('list-unsubscribe') ?? '')?.[1] ?? '' };
}

async function withdrawalsOf(customerId: string): Promise<object[]> {
  const path = `${CUSTOMERS}/${customerId}/consents?purpose=marketing_email`;
  const { body } = await owner.get<Page<{ granted: boolean }>>(path);
  return body.data.filter(({ granted }) => !granted);
}

async function suppressionsOf(email: string): Promise<object[]> {
  const path = `${NOTIFICATIONS}/suppressions?active=true&address=${encodeURIComponent(email)}`;
  return (await owner.get<Page<object>>(path)).body.data;
}

describe('a marketing mail', () => {
  it('it needs the consent of the customer, also of the one of a booking, and no suppression of marketing', async () => {
    const { customerId, email } = await reader();
    await consent(customerId, false);
    const rejected = await send({ customerId });
    expect([rejected.status, rejected.body]).toEqual([
      409,
      problem('consent_required', { purpose: 'marketing_email' }),
    ]);
    const { id: bookingId } = await makeBooking(owner, { customerId, customerEmail: email });
    expect((await send({ bookingId })).body).toMatchObject({ code: 'consent_required' });
    const { id: ofNobody } = await makeBooking(owner, { customerEmail: `x-${randomUUID()}@example.com` });
    expect((await send({ bookingId: ofNobody })).body).toMatchObject({ code: 'consent_required' });

    await consent(customerId, true);
    const { id: ofAgent } = await makeBooking(owner, {
      customerId,
      customerEmail: `agent-${randomUUID()}@example.com`,
    });
    expect((await send({ bookingId: ofAgent })).status).toBe(201);
    await work();
    expect(mailsTo(email)).toHaveLength(1);
    expect((await send({ bookingId })).body.data).toMatchObject({ kind: 'marketing', bookingId, customerId });
    await owner.post(`${NOTIFICATIONS}/suppressions`, { address: email, scope: 'marketing' });
    expect((await send({ customerId })).body).toMatchObject({ code: 'recipient_suppressed' });
  });

  it('a template of the category marketing also needs the consent; other mails have no unsubscription', async () => {
    const { customerId, email } = await reader();
    const texts = { slug: `t-${randomUUID()}`, language: 'en', subject: 'News', text: 'News for you.' };
    const template = await owner.post<One<{ id: string }>>(`${NOTIFICATIONS}/templates`, {
      ...{ ...texts, category: 'marketing' },
    });
    const templateId = template.body.data.id;
    await owner.post(`${NOTIFICATIONS}/templates/${templateId}/publication`);
    const accepted = await owner.post<One<Message>>(MESSAGES, { customerId, templateId });
    expect([accepted.status, accepted.body.data]).toMatchObject([201, { kind: 'marketing', templateId }]);
    await consent(customerId, false);
    expect((await owner.post(MESSAGES, { customerId, templateId })).body).toMatchObject({ code: 'consent_required' });
    await work();
    expect(mailsTo(email)).toEqual([]);
    await owner.post(MESSAGES, { customerId, subject: 'Your question', text: 'The hotel has a lift.' });
    await work();
    expect(mailsTo(email)[0]?.headers.some(({ key }) => key.startsWith('list-unsubscribe'))).toBe(false);
  });

  it('a withdrawal, and a suppression of marketing, between queueing and sending win', async () => {
    const [first, second] = [await reader(), await reader()];
    const one = (await send({ customerId: first.customerId })).body;
    const other = (await send({ customerId: second.customerId })).body;
    await consent(first.customerId, false);
    await owner.post(`${NOTIFICATIONS}/suppressions`, { address: second.email, scope: 'marketing' });
    await work();
    expect(await messageOf(one.data.id)).toMatchObject({ status: 'failed', reason: 'consent_required', attempts: 0 });
    expect(await messageOf(other.data.id)).toMatchObject({ status: 'failed', reason: 'recipient_suppressed' });
    expect([...mailsTo(first.email), ...mailsTo(second.email)]).toEqual([]);
    const resent = await owner.post(`${MESSAGES}/${one.data.id}/resend`, {});
    expect([resent.status, resent.body]).toMatchObject([409, { code: 'consent_required' }]);
  });
});

describe('the page of an unsubscription', () => {
  it('the page changes nothing, is in the language of the customer, and runs nothing', async () => {
    const known = await reader({ language: 'de' });
    const { path } = await sent(known);
    const { status, text, headers } = await app.get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<button>Abmelden</button>');
    expect(text).toContain('<html lang="de">');
    const nonce = /<style nonce="([^"]+)">/.exec(text)?.[1] ?? '';
    expect(headers['content-security-policy']).toBe(
      `default-src 'none';style-src 'nonce-${nonce}';base-uri 'none';form-action 'self';frame-ancestors 'none'`,
    );
    expect(headers).toMatchObject({
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
    });
    expect(await withdrawalsOf(known.customerId)).toEqual([]);
    expect(await suppressionsOf(known.email)).toEqual([]);
  });

  it('an unknown token, and a token of another use, get the same page with 404', async () => {
    const unknown = `${UNSUBSCRIPTIONS}/${'0'.repeat(51)}`;
    const { path } = await sent(await reader());
    const changed = path.replace(/.$/, (end) => (end === '0' ? '1' : '0'));
    const withoutNonce = (text: string) => text.replace(/nonce="[^"]*"/, '');
    const answers = [await app.get(unknown), await app.get(changed), await app.get(`${UNSUBSCRIPTIONS}/x`)];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ text }) => withoutNonce(text))).size).toBe(1);
    expect((await confirm(changed)).status).toBe(404);
  });
});

describe('an unsubscription', () => {
  it('one click without a login withdraws the consent and suppresses marketing once, however often it is repeated', async () => {
    const known = await reader();
    const { id, path } = await sent(known);
    const answers = await Promise.all(Array.from({ length: 4 }, () => confirm(path)));
    answers.push(await confirm(path));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers[0]?.headers['set-cookie']).toBeUndefined();
    expect(answers[0]?.text).toContain('You are unsubscribed');
    expect(await withdrawalsOf(known.customerId)).toMatchObject([{ source: expect.stringContaining(id) }]);
    expect(await suppressionsOf(known.email)).toMatchObject([
      { scope: 'marketing', reason: 'unsubscribed', messageId: id, createdBy: 'system' },
    ]);
    expect((await send({ customerId: known.customerId })).status).toBe(409);
    await owner.post(MESSAGES, {
      customerId: known.customerId,
      subject: 'Your question',
      text: 'The hotel has a lift.',
    });
    await work();
    expect(mailsTo(known.email)).toHaveLength(2);
  });

  it('it accepts the multipart form of RFC 8058, and no other content', async () => {
    const known = await reader();
    const { path } = await sent(known);
    const post = (raw: string, type: string) => app.post(path, undefined, { raw, headers: { 'Content-Type': type } });
    expect((await post('List-Unsubscribe=No', FORM['Content-Type'])).status).toBe(400);
    expect((await post('', FORM['Content-Type'])).status).toBe(400);
    expect((await post(ONE_CLICK, 'text/plain')).status).toBe(415);
    expect((await post(`x=${'x'.repeat(5_000)}`, FORM['Content-Type'])).status).toBe(413);
    expect(await withdrawalsOf(known.customerId)).toEqual([]);
    const part = `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`;
    expect((await post(part, 'multipart/form-data; boundary=b')).status).toBe(200);
    expect(await withdrawalsOf(known.customerId)).toHaveLength(1);
  });

  it('an erasure reaches a mail to a former address; its link is 200 and stores no address again', async () => {
    const known = await reader();
    const { id, path } = await sent(known);
    const queued = (await send({ customerId: known.customerId })).body.data.id;
    const emails = [{ address: `new-${randomUUID()}@example.com`, isPrimary: true }];
    expect((await owner.patch(`${CUSTOMERS}/${known.customerId}`, { emails })).status).toBe(200);
    const erasures = `${CUSTOMERS}/${known.customerId}/erasures`;
    const { body } = await owner.post<One<{ id: string }>>(erasures, { reason: 'By letter' });
    expect((await owner.post(`${erasures}/${body.data.id}/execution`)).status).toBe(202);
    await asSystem(() => app.nest.get(ErasuresService, { strict: false }).erase({ erasureId: body.data.id }));

    expect(await messageOf(id)).toMatchObject({ subject: 'erased', status: 'sent' });
    expect(await messageOf(queued)).toMatchObject({ subject: 'erased', status: 'cancelled' });
    expect((await confirm(path)).status).toBe(200);
    await work();
    expect([await suppressionsOf(known.email), await suppressionsOf('erased')]).toEqual([[], []]);
    expect(mailsTo(known.email)).toHaveLength(1);
  });

  it('the link of a mail whose text was erased still withdraws the consent, once for several mails', async () => {
    const known = await reader();
    const mails = [await sent(known), await sent(known)];
    await app.sql(`update notification_messages set recipient = 'erased', erased_at = now() where id = any($1)`, [
      mails.map(({ id }) => id),
    ]);
    const answers = await Promise.all(mails.map(({ path }) => confirm(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await withdrawalsOf(known.customerId)).toHaveLength(1);
  });

  it('the token is in no log', async () => {
    const { path } = await sent(await reader());
    const answers = [await app.get(path), await confirm(path)];
    const token = path.split('/').pop() ?? '-';
    expect(app.logs.filter((line) => line.includes(token))).toEqual([]);
    for (const { headers } of answers) {
      expect(app.logs.some((line) => line.includes(headers['x-request-id'] ?? '-'))).toBe(true);
    }
  });
});
