import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ErasuresService } from '../../src/modules/customers/privacy/erasures.service.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { ServiceKeys } from '../../src/platform/keys/service-keys.js';
import { entryOf, reverse, reversed } from '../action-ledger/reversals.js';
import { BOOKINGS, makeBooking, type One, type Page, problem, staffWith } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { type Task, TASKS } from '../desk/tasks.js';
import { received } from '../finance/payments/bookings.js';
import { recorded } from '../finance/payments/payments.js';
import { contractIn, CONTRACTS, dispatch } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { dueRun } from './due-run.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { type Message, messagesOf, RULES, type Run, runsOf, runsPath } from './reminders.js';

const NOTIFICATIONS = '/v1/admin/notifications';
const SUPPRESSIONS = `${NOTIFICATIONS}/suppressions`;

interface Suppression {
  id: string;
  address: string | null;
  scope: string;
  reason: string;
  messageId: string | null;
  createdBy: string;
  liftedAt: string | null;
  liftReason: string | null;
  version: number;
}

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: {
      ...{ JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
      ...{ REMINDERS_PER_DAY: '1000', RATE_LIMIT_FACTOR: '1000' },
    },
  });
  owner = app.as('owner');
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const address = (kind = 'clara') => `${kind}-${randomUUID()}@example.com`;
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);
const rejection = ({ status, body }: Answer) => ({ status, ...(body as { code: string; details: object }) });
const setAddress = (bookingId: string, customerEmail: string) =>
  owner.patch(`${BOOKINGS}/${bookingId}`, { customerEmail });
const retry = (runId: string, body?: object) => owner.post<One<Run>>(`${NOTIFICATIONS}/runs/${runId}/retry`, body);
const resend = (messageId: string, body?: object) =>
  owner.post<One<Message>>(`${NOTIFICATIONS}/messages/${messageId}/resend`, body);

async function suppressionsOf(email: string, query = ''): Promise<Suppression[]> {
  const { status, body } = await owner.get<Page<Suppression>>(
    `${SUPPRESSIONS}?address=${encodeURIComponent(email)}${query}`,
  );
  expect(status).toBe(200);
  return body.data;
}

async function suppress(email: string, terms: object = {}): Promise<Suppression> {
  const { status, body } = await owner.post<One<Suppression>>(SUPPRESSIONS, { address: email, ...terms });
  expect(status).toBe(201);
  return body.data;
}

async function tasksOf(subjectId: string): Promise<Task[]> {
  const { body } = await owner.get<Page<Task>>(`${TASKS}?subjectId=${subjectId}&source=recipient_suppressed`);
  return body.data;
}

describe('a mail server that rejects the address', () => {
  it('it suppresses the address, raises a task, and the next reminder reaches a corrected address', async () => {
    const email = address('unknown');
    const { bookingId, rule, run, message } = await dueRun(app, { email });
    await work();
    expect(await run()).toMatchObject({ status: 'failed', reason: 'hard_bounce', attempts: 1 });
    const failed = await message();
    expect(failed).toMatchObject({ status: 'failed', reason: 'hard_bounce', bookingId });
    expect(await suppressionsOf(email.toUpperCase())).toMatchObject([
      {
        address: email,
        scope: 'all',
        reason: 'hard_bounce',
        messageId: failed?.id,
        createdBy: 'system',
        liftedAt: null,
      },
    ]);
    expect(await tasksOf(bookingId)).toMatchObject([{ status: 'open', subjectType: 'booking', subjectId: bookingId }]);
    expect(rejection(await retry((await run())?.id ?? ''))).toMatchObject({
      status: 409,
      code: 'recipient_suppressed',
    });

    const corrected = address();
    expect((await setAddress(bookingId, corrected)).status).toBe(200);
    expect(await runsOf(app, bookingId, rule.id)).toMatchObject([{ status: 'planned', reason: null }]);
    await work();
    expect(await runsOf(app, bookingId, rule.id)).toMatchObject([{ status: 'sent' }]);
    expect([mailsTo(email).length, mailsTo(corrected).length]).toEqual([0, 1]);
  });

  it('a rejected content, and a relay that is not permitted, suppress no address', async () => {
    for (const kind of ['refused', 'relayed', 'converted']) {
      const email = address(kind);
      const { run } = await dueRun(app, { email });
      await work();
      expect(await run()).toMatchObject({ status: 'failed', reason: 'rejected' });
      expect(await suppressionsOf(email)).toEqual([]);
    }
  });
});

describe('a suppressed address', () => {
  it('it gets no reminder, staff get one task for the booking, and after the lifting a retry is sent', async () => {
    const email = address();
    const { id } = await suppress(email.toUpperCase());
    const { bookingId, rule, run } = await dueRun(app, { email });
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason: 'recipient_suppressed' });
    expect(mailsTo(email)).toEqual([]);
    const scheduleId = (await run())?.scheduleId;
    expect(rejection(await owner.post(runsPath(bookingId), { scheduleId }))).toMatchObject({
      ...{ status: 409, code: 'recipient_suppressed', details: { suppressionId: id, reason: 'manual' } },
    });

    const lifted = await owner.post<One<Suppression>>(`${SUPPRESSIONS}/${id}/lifting`, { reason: 'Mailbox emptied' });
    expect(lifted.body.data).toMatchObject({ liftReason: 'Mailbox emptied', liftedAt: expect.any(String), version: 2 });
    expect(await tasksOf(bookingId)).toMatchObject([{ status: 'done' }]);
    expect(rejection(await owner.post(`${SUPPRESSIONS}/${id}/lifting`, { reason: 'Again' }))).toMatchObject({
      ...{ status: 409, code: 'suppression_lifted' },
    });
    const retried = await retry((await run())?.id ?? '');
    expect([retried.status, retried.body.data]).toMatchObject([201, { status: 'planned', bookingId }]);
    await work();
    expect((await runsOf(app, bookingId, rule.id)).map(({ status }) => status).sort()).toEqual(['sent', 'superseded']);
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('it gets no contract: a dispatch is rejected, and a mail that was queued before fails without an attempt', async () => {
    const recipientEmail = address();
    const { id: bookingId } = await makeBooking(owner);
    const { id } = await contractIn(app, 'issued', { bookingId, recipientEmail });
    expect((await dispatch(app, id)).status).toBe(200);
    await suppress(recipientEmail);
    await work();
    const [message] = await messagesOf(app);
    expect(message).toMatchObject({
      ...{ kind: 'contract', bookingId, status: 'failed', reason: 'recipient_suppressed', attempts: 0 },
    });
    expect(await tasksOf(bookingId)).toHaveLength(1);
    const again = await owner.post(`${CONTRACTS}/${id}/dispatch`, { resend: true });
    expect(rejection(again)).toMatchObject({ status: 409, code: 'recipient_suppressed' });
    expect(rejection(await resend(message?.id ?? ''))).toMatchObject({ status: 409, code: 'recipient_suppressed' });
  });

  it('only a marketing suppression leaves other mails alone', async () => {
    const email = address();
    await suppress(email, { scope: 'marketing' });
    const { run } = await dueRun(app, { email });
    await work();
    expect(await run()).toMatchObject({ status: 'sent' });
  });

  it('it is suppressed once by parallel requests', async () => {
    const email = address();
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.post(SUPPRESSIONS, { address: email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(problem('already_suppressed'));
  });

  it('addition and lifting are reversed, and the list is filtered', async () => {
    const email = address();
    const { id } = await suppress(email);
    await reversed(app, id, 'notifications.suppression.create');
    expect(await suppressionsOf(email, '&active=false')).toMatchObject([{ id, liftedAt: expect.any(String) }]);

    const { id: second } = await suppress(email);
    await owner.post(`${SUPPRESSIONS}/${second}/lifting`, { reason: 'Works again' });
    await reversed(app, second, 'notifications.suppression.lift');
    expect(await suppressionsOf(email, '&active=true&scope=all&reason=manual,erasure')).toMatchObject([
      { id: second, liftReason: null },
    ]);
    const { id: third } = await suppress(address());
    await owner.post(`${SUPPRESSIONS}/${third}/lifting`, { reason: 'Works again' });
    await app.sql('update message_suppressions set address = $2 where id = $1', [third, email]);
    const { id: entryId } = await entryOf(app, third, 'notifications.suppression.lift');
    expect(rejection(await reverse(app, entryId))).toMatchObject({ status: 409 });
    const client = await staffWith(app, 'notifications:read');
    const masked = await client.get<One<Suppression>>(`${SUPPRESSIONS}/${id}`);
    expect(masked.body.data.address).toBe('c***@example.com');
  });
});

describe('a reminder that was not sent', () => {
  it('it is planned again when the booking gets an address', async () => {
    const { bookingId, run } = await dueRun(app, { email: null });
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason: 'no_recipient' });
    expect(rejection(await retry((await run())?.id ?? ''))).toMatchObject({ status: 409, code: 'no_recipient' });
    const email = address();
    await setAddress(bookingId, email);
    await work();
    expect(await run()).toMatchObject({ status: 'sent' });
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('it follows the address of its customer', async () => {
    const customer = await newCustomer(app, { emails: [{ address: address('unknown'), isPrimary: true }] });
    const { bookingId, run } = await dueRun(app, { email: 'nobody@example.com' });
    expect((await owner.patch(`${BOOKINGS}/${bookingId}`, { customerId: customer.id })).status).toBe(200);
    await work();
    expect(await run()).toMatchObject({ status: 'failed', reason: 'hard_bounce' });
    const email = address();
    await owner.patch(`${CUSTOMERS}/${customer.id}`, { emails: [{ address: email, isPrimary: true }] });
    await work();
    expect(await run()).toMatchObject({ status: 'sent' });
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('it is retried once by parallel requests, as a new message that names the failed one', async () => {
    const email = address('refused');
    const { bookingId, rule, run, message } = await dueRun(app, { email });
    await work();
    const [runId, failed] = [(await run())?.id ?? '', await message()];
    const answers = await Promise.all(Array.from({ length: 4 }, () => retry(runId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const rejected = answers.find(({ status }) => status === 409)?.body;
    expect(rejected).toEqual(problem('nothing_to_retry', { status: 'superseded' }));
    const newRun = answers.find(({ status }) => status === 201)?.body.data.id;
    expect(await messagesOf(app, newRun)).toMatchObject([{ status: 'queued', resendOf: failed?.id }]);
    await work();
    expect(mailsTo(email)).toHaveLength(2);
    expect(await runsOf(app, bookingId, rule.id)).toHaveLength(2);
  });

  it('a resent reminder has the amount of now; one whose mail may have arrived needs a confirmation', async () => {
    const email = address('broken');
    const { bookingId, rule, message } = await dueRun(app, { email });
    await work();
    const failed = await message();
    expect(failed).toMatchObject({ reason: 'outcome_unknown' });
    await recorded(owner, received(bookingId, 7_345, { allocations: [] }));
    expect(rejection(await resend(failed?.id ?? ''))).toMatchObject({ status: 409, code: 'outcome_unknown' });
    const foreign = await resend(failed?.id ?? '', { confirm: true, recipientEmail: address() });
    expect(rejection(foreign)).toMatchObject({ status: 422, code: 'recipient_not_on_record' });
    const resent = await resend(failed?.id ?? '', { confirm: true });
    expect([resent.status, resent.body.data]).toMatchObject([201, { kind: 'reminder', status: 'queued', bookingId }]);
    await work();
    expect(mailsTo(email)).toHaveLength(2);
    expect(mailsTo(email)[1]).toMatchObject({ text: expect.stringContaining('€50.00') });
    expect(rejection(await resend(failed?.id ?? '', { confirm: true }))).toMatchObject({
      ...{ status: 409, code: 'nothing_to_retry' },
    });

    await owner.patch(`${RULES}/${rule.id}`, { enabled: false });
    const [latest] = (await runsOf(app, bookingId, rule.id)).filter(({ status }) => status === 'failed');
    expect(rejection(await retry(latest?.id ?? '', { confirm: true }))).toMatchObject({
      ...{ status: 409, code: 'nothing_to_retry', details: { reason: 'rule_disabled' } },
    });
  });

  it('a reminder of something that is paid is not retried', async () => {
    const { bookingId, run } = await dueRun(app, { email: address('refused') });
    await work();
    await app.sql(`update payment_schedules set status = 'cancelled', waived = true where booking_id = $1`, [
      bookingId,
    ]);
    expect(rejection(await retry((await run())?.id ?? ''))).toMatchObject({ status: 409, code: 'target_closed' });
  });
});

describe('a message without a reminder', () => {
  it('it is sent again to another address of the booking or its customer, and listed by recipient and booking', async () => {
    const [first, second] = [address('refused'), address()];
    const emails = [{ address: first, isPrimary: true }, { address: second }];
    const { id: customerId } = await newCustomer(app, { emails });
    const { id: bookingId } = await makeBooking(owner, { customerId });
    const { id } = await contractIn(app, 'issued', { bookingId, recipientEmail: first });
    await dispatch(app, id);
    await work();
    const listed = async (query: string) =>
      (await owner.get<Page<Message>>(`${NOTIFICATIONS}/messages?${query}`)).body.data;
    const [failed] = await listed(`recipient=${first.toUpperCase()}&kind=contract&reason=rejected`);
    expect(failed).toMatchObject({ status: 'failed', bookingId, resendOf: null });
    const foreign = await resend(failed?.id ?? '', { recipientEmail: address() });
    expect(foreign.body).toEqual(problem('recipient_not_on_record', { field: 'recipientEmail' }));
    const resent = await resend(failed?.id ?? '', { recipientEmail: second });
    expect(resent.status).toBe(201);
    await work();
    const { body } = await owner.get<One<Message>>(resent.headers['location'] ?? '');
    expect(body.data).toMatchObject({ kind: 'contract', status: 'sent', resendOf: failed?.id, bookingId });
    expect(mailsTo(second)).toMatchObject([{ text: expect.stringContaining('/v1/public/legal/contract-pages/') }]);
    expect((await listed(`bookingId=${bookingId}`)).map((message) => message.id)).toEqual([body.data.id, failed?.id]);
  });
});

describe('the erasure of a customer', () => {
  const erase = async (customerId: string) => {
    const { body } = await owner.post<One<{ id: string }>>(`${CUSTOMERS}/${customerId}/erasures`, {
      reason: 'Request',
    });
    const executed = await owner.post(`${CUSTOMERS}/${customerId}/erasures/${body.data.id}/execution`);
    expect(executed.status).toBe(202);
    const erasures = app.nest.get(ErasuresService, { strict: false });
    await asSystem(() => erasures.erase({ erasureId: body.data.id }));
  };

  it('it suppresses the addresses by their codes, also after the sealing key was replaced', async () => {
    const [email, known] = [address('erased'), address('erased')];
    const emails = [{ address: email, isPrimary: true }, { address: known }];
    const { id } = await newCustomer(app, { emails });
    const manual = await suppress(known, { scope: 'marketing' });
    await erase(id);
    const stored = await app.sql(
      'select address, address_code is null as open from message_suppressions where id = $1',
      [manual.id],
    );
    expect(stored).toEqual([{ address: null, open: false }]);
    expect(await suppressionsOf(email)).toMatchObject([{ address: null, scope: 'all', reason: 'erasure' }]);
    expect((await suppressionsOf(known)).map(({ scope }) => scope).sort()).toEqual(['all', 'marketing']);

    await app.nest.get(ServiceKeys).rotate('sealing');
    app.travel({ days: 1 });
    const { run } = await dueRun(app, { email });
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason: 'recipient_suppressed' });
    expect(rejection(await owner.post(SUPPRESSIONS, { address: email }))).toMatchObject({ code: 'already_suppressed' });
    app.travel({ days: -1 });
  });

  it('it leaves an address alone that another customer has', async () => {
    const emails = [{ address: address(), isPrimary: true }];
    const { id } = await newCustomer(app, { emails });
    await newCustomer(app, { emails });
    await erase(id);
    expect(await suppressionsOf(emails[0]?.address ?? '')).toEqual([]);
  });
});
