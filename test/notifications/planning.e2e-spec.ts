import { beforeAll, describe, expect, it } from '@jest/globals';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { confirmedBooking } from '../bookings/bookings.js';
import { bookingWith, received } from '../finance/payments/bookings.js';
import { invoicing } from '../finance/payments/invoiced.js';
import { retryWhileBusy, recorded, reverse } from '../finance/payments/payments.js';
import { schedulesPath } from '../finance/payment-plans/plans.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newRule, onlyOwnRules, type Run, type Rule, runsOf } from './reminders.js';

let app: TestApp;
let staff: TestClient;
let jobs: ReminderJobs;
beforeAll(async () => {
  // Its jobs are disabled: the tests call them.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
  jobs = app.nest.get(ReminderJobs, { strict: false });
  await onlyOwnRules(app);
});

const inDays = (more: number) => app.day(more);
const stages = [
  { offsetDays: -7, channels: [{ channel: 'email' }] },
  { offsetDays: 1, channels: [{ channel: 'email' }, { channel: 'sms' }, { type: 'email', recipientKind: 'cc' }] },
];
const outline = (runs: Run[]) => runs.map(({ runAt, status, reason }) => [runAt, status, reason]);
const at = (day: string) => `${day}T09:00:00.000Z`;

/** A rule that is planned for existing resources; no other rule reminds of the same ones. */
async function planned(terms: object): Promise<Rule> {
  await onlyOwnRules(app);
  const rule = await newRule(app, { trigger: 'installment_due', stages, ...terms });
  await jobs.plan({ ruleId: rule.id });
  return rule;
}

describe('runs for installments', () => {
  it('runs for installments are planned for existing ones, one for each stage and channel, at the time of the rule', async () => {
    const { id, schedules } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({ sendTime: '10:30' });

    const runs = await runsOf(app, id, rule.id);

    const [first, second] = rule.stages;
    expect(
      runs.map((run) => [run.stage, run.channel, run.runAt, run.status, run.scheduleId, run.daysFromAnchor]),
    ).toEqual([
      [first?.id, 'email', `${inDays(23)}T10:30:00.000Z`, 'planned', schedules[0], -7],
      [second?.id, expect.any(String), `${inDays(31)}T10:30:00.000Z`, 'planned', schedules[0], 1],
      [second?.id, expect.any(String), `${inDays(31)}T10:30:00.000Z`, 'planned', schedules[0], 1],
    ]);
    expect(
      runs
        .slice(1)
        .map(({ channel }) => channel)
        .sort(),
    ).toEqual(['email', 'sms']);
    expect(runs.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    await jobs.plan({ ruleId: rule.id });
    expect(await runsOf(app, id, rule.id)).toEqual(runs);
  });

  it('runs for installments whose time and grace period have passed are not planned', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(-3), 100]] });
    const rule = await planned({ stages: [{ offsetDays: 0, channels: [{ channel: 'email' }] }] });
    expect(await runsOf(app, id, rule.id)).toEqual([]);
  });

  it('runs for installments are cancelled in the transaction of the payment and planned again when it is reversed', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({});
    const payment = await recorded(staff, received(id, 100));

    const cancelled = await runsOf(app, id, rule.id);
    expect(cancelled.map(({ status, reason }) => [status, reason])).toEqual(
      cancelled.map(() => ['cancelled', 'target_closed']),
    );
    expect(cancelled).toHaveLength(3);

    await reverse(staff, payment.id);
    expect(outline(await runsOf(app, id, rule.id))).toEqual([
      [at(inDays(23)), 'planned', null],
      [at(inDays(31)), 'planned', null],
      [at(inDays(31)), 'planned', null],
    ]);
  });

  it('runs for installments remain after a partial payment and are cancelled with the booking', async () => {
    const { id } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({});
    await recorded(staff, received(id, 40));
    expect(new Set((await runsOf(app, id, rule.id)).map(({ status }) => status))).toEqual(new Set(['planned']));

    const cancellation = `/v1/admin/bookings/${id}/cancellation`;
    expect((await retryWhileBusy(() => staff.post(cancellation, { reason: 'Called off' }))).status).toBe(200);

    expect(new Set((await runsOf(app, id, rule.id)).map(({ status }) => status))).toEqual(new Set(['cancelled']));
  });

  it('runs for installments are superseded when the due date moves and planned again when it moves back', async () => {
    const { id, schedules } = await bookingWith(app, { installments: [[inDays(30), 100]] });
    const rule = await planned({ stages: [{ offsetDays: -7, channels: [{ channel: 'email' }] }] });
    const move = (dueDate: string) => staff.patch(`${schedulesPath(id)}/${schedules[0]}`, { dueDate });
    const states = async () =>
      (await runsOf(app, id, rule.id)).map(({ status, reason, runAt }) =>
        status === 'planned' ? [status, reason, runAt] : [status, reason],
      );

    expect((await move(inDays(40))).status).toBe(200);
    expect(await states()).toEqual([
      ['superseded', 'anchor_moved'],
      ['planned', null, at(inDays(33))],
    ]);

    expect((await move(inDays(30))).status).toBe(200);
    expect(await states()).toEqual([
      ['superseded', 'anchor_moved'],
      ['planned', null, at(inDays(23))],
    ]);
  });

  it('runs for installments are planned in the transaction that confirms the booking and creates its payment plan', async () => {
    await onlyOwnRules(app);
    const rule = await newRule(app, { trigger: 'balance_due', stages: [{ channels: [{ channel: 'email' }] }] });
    const { booking } = await confirmedBooking(staff, { booking: { startDate: inDays(100) } });

    const runs = await runsOf(app, booking.id, rule.id);

    expect(runs.map(({ status, daysFromAnchor }) => [status, daysFromAnchor])).toEqual([['planned', 0]]);
  });
});

describe('runs for invoices and bookings', () => {
  const { issued } = invoicing(() => staff);

  it('runs of an invoice are planned at its issue and cancelled when it is paid or voided', async () => {
    await onlyOwnRules(app);
    const rule = await newRule(app, {
      trigger: 'invoice_due',
      stages: [{ offsetDays: 3, channels: [{ channel: 'email' }] }],
    });
    const first = await bookingWith(app, { installments: [[inDays(10), 100]] });
    const second = await bookingWith(app);
    const invoices = [
      await issued(first.id, { dueDate: inDays(10) }),
      await issued(second.id, { dueDate: inDays(20) }),
    ];

    expect(outline(await runsOf(app, first.id, rule.id))).toEqual([[at(inDays(13)), 'planned', null]]);
    expect((await runsOf(app, first.id, rule.id))[0]?.invoiceId).toBe(invoices[0]?.id);

    await recorded(staff, received(first.id, 100));
    const voiding = await staff.post(`/v1/admin/finance/invoices/${invoices[1]?.id}/voiding`, { reason: 'Wrong' });
    expect(voiding.status).toBe(200);
    const ended = [...(await runsOf(app, first.id, rule.id)), ...(await runsOf(app, second.id, rule.id))];
    expect(ended.map(({ status, reason }) => [status, reason])).toEqual([
      ['cancelled', 'target_closed'],
      ['cancelled', 'target_closed'],
    ]);
  });

  it('runs of a booking count from the departure, also if it moves, and from the days of confirmation and full payment', async () => {
    await onlyOwnRules(app);
    const stage = { offsetDays: 5, channels: [{ channel: 'email' }] };
    const departure = await newRule(app, { trigger: 'departure_upcoming', stages: [{ ...stage, offsetDays: -5 }] });
    const confirmed = await newRule(app, { trigger: 'booking_confirmed', stages: [stage] });
    const paid = await newRule(app, { trigger: 'payment_complete', stages: [stage] });
    const { booking } = await confirmedBooking(staff, { booking: { startDate: inDays(100) } });
    const runs = (rule: Rule) => runsOf(app, booking.id, rule.id);

    expect(outline(await runs(departure))).toEqual([[at(inDays(95)), 'planned', null]]);
    expect(outline(await runs(confirmed))).toEqual([[at(inDays(5)), 'planned', null]]);
    expect(await runs(paid)).toEqual([]);

    await staff.patch(`/v1/admin/bookings/${booking.id}`, { startDate: inDays(110), endDate: null });
    expect((await runs(departure)).map(({ status }) => status).sort()).toEqual(['planned', 'superseded']);
    await recorded(staff, received(booking.id, Number(booking['totalCents']), { paidOn: inDays(0) }));
    expect(outline(await runs(paid))).toEqual([[at(inDays(5)), 'planned', null]]);
  });
});
