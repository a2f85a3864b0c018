import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { bookingWith, received } from '../finance/payments/bookings.js';
import { recorded } from '../finance/payments/payments.js';
import { days } from '../finance/payment-plans/plans.js';
import { startApp, type TestApp } from '../setup/app.js';
import { dueRun } from './due-run.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { newRule, onlyOwnRules, runsOf } from './reminders.js';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: { JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>', REMINDERS_PER_DAY: '1000' },
  });
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const plan = (ruleId: string) => app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId });
const address = () => `clara-${randomUUID()}@example.com`;
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);

/** Money that settles nothing by itself. */
const onAccount = (bookingId: string, amountCents: number) =>
  recorded(app.as('owner'), received(bookingId, amountCents, { allocations: [] }));

describe('a reminder to a customer who has paid', () => {
  it('a reminder is skipped if money on account covers what is due', async () => {
    const email = address();
    const { bookingId, run } = await dueRun(app, { email });
    await onAccount(bookingId, 12_345);
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason: 'credit_available' });
    expect(mailsTo(email)).toEqual([]);
  });

  it('the mail asks for what is due less the money on account', async () => {
    const email = address();
    const { bookingId } = await dueRun(app, { email });
    await onAccount(bookingId, 10_000);
    await work();
    expect(mailsTo(email)).toMatchObject([{ text: expect.stringContaining('€23.45') }]);
  });

  it('a reminder is skipped if money of another booking of the customer covers it', async () => {
    const email = address();
    const { run } = await dueRun(app, { email });
    const other = await bookingWith(app, { installments: [['2027-05-02', 100]] });
    await app.sql('update bookings set customer_email = upper($2) where id = $1', [other.id, email]);
    await recorded(app.as('owner'), received(other.id, 20_000));
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason: 'credit_available' });
  });

  it('a reminder that was skipped for want of an address is planned again when there is one', async () => {
    const { bookingId, run, rule } = await dueRun(app, { email: null });
    await work();
    expect(await run()).toMatchObject({ status: 'skipped', reason: 'no_recipient' });
    await plan(rule.id);
    expect(await run()).toMatchObject({ status: 'skipped' });
    const email = address();
    await app.sql('update bookings set customer_email = $2 where id = $1', [bookingId, email]);
    await app.sql('update reminder_plannings set finished_at = null, last_target_id = null where rule_id = $1', [
      rule.id,
    ]);
    await plan(rule.id);
    await work();
    expect(await run()).toMatchObject({ status: 'sent' });
    expect(mailsTo(email)).toHaveLength(1);
  });
});

describe('the plan of a draft booking', () => {
  it('a quote is not reminded of; after its confirmation what was due before is due today', async () => {
    await onlyOwnRules(app);
    const today = app.day();
    const { id } = await bookingWith(app, { status: 'draft', installments: [[days(today, -5), 5_000]] });
    await app.sql('update bookings set customer_email = $2 where id = $1', [id, address()]);
    const rule = await newRule(app, { trigger: 'installment_due', stages: [{ channels: [{ channel: 'email' }] }] });
    await plan(rule.id);
    expect(await runsOf(app, id, rule.id)).toEqual([]);
    const quote = await app.as('owner').post(`/v1/admin/finance/bookings/${id}/collection-plan`, {});
    expect(quote.body).toMatchObject({ data: { quote: true } });

    expect((await app.as('owner').post(`/v1/admin/bookings/${id}/confirmation`)).status).toBe(200);
    const schedules = await app.as('owner').get(`/v1/admin/finance/bookings/${id}/payment-schedules`);
    expect(schedules.body).toMatchObject({ data: [{ dueDate: today, status: 'pending' }] });
    expect(await runsOf(app, id, rule.id)).toHaveLength(1);
  });
});

describe('a reminder by hand', () => {
  it('staff remind of an open installment at once, also if its reminder was sent before', async () => {
    const email = address();
    const { bookingId, run } = await dueRun(app, { email });
    await work();
    const scheduleId = (await run())?.scheduleId;
    const path = `/v1/admin/finance/bookings/${bookingId}/reminder-runs`;
    const { status, body } = await app.as('owner').post(path, { scheduleId });
    expect([status, body]).toMatchObject([201, { data: { scheduleId, status: 'planned', channel: 'email' } }]);
    await work();
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('it replaces the planned one of the same stage, which is not planned again', async () => {
    const email = address();
    const { bookingId, run } = await dueRun(app, { email });
    const planned = await run();
    const path = `/v1/admin/finance/bookings/${bookingId}/reminder-runs`;
    expect((await app.as('owner').post(path, { scheduleId: planned?.scheduleId })).status).toBe(201);
    const ended = () =>
      runsOf(app, bookingId, planned?.ruleId ?? '').then((runs) => runs.find(({ id }) => id === planned?.id));
    expect(await ended()).toMatchObject({ status: 'superseded', reason: 'requested' });
    await asSystem(() => app.nest.get(ReminderJobs, { strict: false }).planAll());
    await plan(planned?.ruleId ?? '');
    expect(await ended()).toMatchObject({ status: 'superseded', reason: 'requested' });
    await work();
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('a reminder of something that is paid is rejected with 409 target_closed', async () => {
    const { bookingId, run } = await dueRun(app, { email: address() });
    const scheduleId = (await run())?.scheduleId;
    await recorded(app.as('owner'), received(bookingId, 12_345));
    const path = `/v1/admin/finance/bookings/${bookingId}/reminder-runs`;
    const { status, body } = await app.as('owner').post(path, { scheduleId });
    expect([status, body]).toMatchObject([409, { code: 'target_closed' }]);
    expect((await app.as('owner').post(path, {})).status).toBe(400);
  });
});
