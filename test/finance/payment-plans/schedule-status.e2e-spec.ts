/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { REASON, reversed } from '../../action-ledger/reversals.js';
import { invalid, problem } from '../invoices.js';
import { draft, issue } from '../invoices/invoicing.js';
import { makeSeries } from '../number-series/series.js';
import {
  cancelBooking,
  change,
  confirm,
  deviation,
  entriesOf,
  outline,
  pay,
  planned,
  type Schedule,
  schedulesOf,
} from './plans.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

type Effective = 'pending' | 'overdue' | 'paid' | 'cancelled';
const STATUSES: readonly Effective[] = ['pending', 'overdue', 'paid', 'cancelled'];

/** The second of three installments, moved to this status. */
async function inStatus(status: Effective): Promise<Schedule> {
  const [bookingId, , second] = await planned(owner);
  if (status === 'overdue') await change(owner, second, { dueDate: app.day(-1) });
  if (status === 'paid') await pay(app, second.id, second.amountCents);
  if (status === 'cancelled') await change(owner, second, { status });
  const found = (await schedulesOf(owner, bookingId)).find(({ id }) => id === second.id);
  expect(found?.status).toBe(status);
  if (!found) throw new Error('The installment was not found');
  return found;
}

describe('the current status', () => {
  it.each(STATUSES)('the current status %s, sent again, changes nothing and is 200', async (status) => {
    const schedule = await inStatus(status);
    const before = await entriesOf(owner, 'payment_schedule', schedule.id);
    const { status: code, body, headers } = await change(owner, schedule, { status });
    expect(code).toBe(200);
    expect(body.data).toEqual(schedule);
    expect(headers['etag']).toBe(`"${schedule.version}"`);
    expect(await entriesOf(owner, 'payment_schedule', schedule.id)).toEqual(before);
  });

  it('the former status that is sent with a new due date is not a change of the status', async () => {
    const overdue = await inStatus('overdue');
    const dueDate = app.day(5);
    const moved = await change(owner, overdue, { status: 'overdue', dueDate });
    expect(moved.body.data).toMatchObject({ status: 'pending', dueDate });
    const back = await change(owner, overdue, { status: 'pending', dueDate: overdue.dueDate });
    expect(back.body.data).toMatchObject({ status: 'overdue' });
  });
});

describe('overdue', () => {
  it('the status overdue is derived from the due date', async () => {
    const overdue = await inStatus('overdue');
    expect(overdue.outstandingCents).toBe(30_000);
    const { body } = await change(owner, overdue, { dueDate: app.day() });
    expect(body.data).toMatchObject({ status: 'pending' });
  });

  it('the status overdue cannot be set: 400', async () => {
    const { status, body } = await change(owner, await inStatus('pending'), { status: 'overdue' });
    expect(status).toBe(400);
    expect(body).toEqual(invalid('status', 'status_not_settable'));
  });

  it('an overdue installment becomes pending only by a later due date: 409 invalid_transition', async () => {
    const { status, body } = await change(owner, await inStatus('overdue'), { status: 'pending' });
    expect(status).toBe(409);
    const allowed = ['paid', 'cancelled'];
    expect(body).toEqual(problem('invalid_transition', { from: 'overdue', to: 'pending', allowed }));
  });
});

describe('cancelled', () => {
  it.each(['pending', 'overdue'] as const)(
    'cancelling a %s installment moves its amount to the last other open installment',
    async (from) => {
      const schedule = await inStatus(from);
      const { body } = await change(owner, schedule, { status: 'cancelled' });
      expect(body.data).toMatchObject({
        status: 'cancelled',
        waived: false,
        amountCents: 30_000,
        outstandingCents: 0,
        type: schedule.type,
        dueDate: schedule.dueDate,
      });
      expect((await outline(owner, schedule.bookingId)).sort()).toEqual([
        '30000 cancelled',
        '30000 pending',
        '70000 pending',
      ]);
      expect(await deviation(app, schedule.bookingId)).toBe(0);
    },
  );

  it('cancelling an installment without another open one, or with rebalance=none, waives it', async () => {
    const [bookingId, first, second, third] = await planned(owner);
    const waived = await change(owner, second, [{ status: 'cancelled' }, '?rebalance=none']);
    expect(waived.body.data).toMatchObject({ status: 'cancelled', waived: true });
    for (const { id, amountCents } of [first]) await pay(app, id, amountCents);
    await change(owner, third, { status: 'cancelled' });
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '30000 waived', '40000 waived']);
    expect(await deviation(app, bookingId)).toBe(0);
  });

  it('waiving and restoring an installment have ledger actions of their own, and the waiver can be reversed', async () => {
    const [bookingId, , second] = await planned(owner);
    await change(owner, second, [{ status: 'cancelled', waiveReason: 'A regular guest' }, '?rebalance=none']);
    await reversed(app, second.id, 'finance.payment_schedule.waive');
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
    await change(owner, second, [{ status: 'cancelled' }, '?rebalance=none']);
    await change(owner, second, { status: 'pending' });
    const entries = await entriesOf(owner, 'payment_schedule', second.id);
    expect(entries.map(({ action, reason }) => [action, reason]).slice(-4)).toEqual([
      ['finance.payment_schedule.waive', 'A regular guest'],
      ['finance.payment_schedule.waive.reverse', REASON],
      ['finance.payment_schedule.waive', 'A regular guest'],
      ['finance.payment_schedule.unwaive', null],
    ]);
  });

  it('the waiver of an installment on an issued invoice can be reversed', async () => {
    const [bookingId, first] = await planned(owner);
    await confirm(owner, bookingId);
    await makeSeries(owner, { documentType: 'invoice', isDefault: true, prefix: `W${bookingId.slice(-8)}-` });
    const { id } = await draft(owner, { bookingId, scheduleId: first.id });
    expect((await issue(owner, id)).status).toBe(200);
    const waived = await change(owner, first, [{ status: 'cancelled' }, '?rebalance=none']);
    expect([waived.status, waived.body.data]).toMatchObject([200, { waived: true }]);
    await reversed(app, first.id, 'finance.payment_schedule.waive');
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
  });

  it('cancelling an installment with payments is 409 schedule_has_payments', async () => {
    const schedule = await inStatus('pending');
    await pay(app, schedule.id, 1);
    const { status, body } = await change(owner, schedule, { status: 'cancelled' });
    expect(status).toBe(409);
    expect(body).toEqual(problem('schedule_has_payments', { paidCents: 1 }));
  });

  it('concurrent requests to cancel an installment move its amount once', async () => {
    const schedule = await inStatus('pending');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => change(owner, schedule, { status: 'cancelled' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
    expect(await outline(owner, schedule.bookingId)).toEqual(['30000 pending', '30000 cancelled', '70000 pending']);
  });

  it('concurrent cancellations of all installments leave a plan that adds up', async () => {
    const [bookingId, ...schedules] = await planned(owner);
    await Promise.all(schedules.map((schedule) => change(owner, schedule, { status: 'cancelled' })));
    expect(await deviation(app, bookingId)).toBe(0);
    expect((await outline(owner, bookingId)).filter((line) => line.endsWith('waived'))).toHaveLength(1);
  });
});

describe('a cancelled installment that is set to pending', () => {
  it('setting a waived installment to pending ends the waiver', async () => {
    const [bookingId, , second] = await planned(owner);
    await change(owner, second, [{ status: 'cancelled' }, '?rebalance=none']);
    const { body } = await change(owner, second, { status: 'pending' });
    expect(body.data).toMatchObject({ status: 'pending', waived: false, amountCents: 30_000 });
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
  });

  it('setting a cancelled installment to pending takes its amount back from the last open installment', async () => {
    const schedule = await inStatus('cancelled');
    expect((await change(owner, schedule, { status: 'pending' })).status).toBe(200);
    expect(await outline(owner, schedule.bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
  });

  it('setting a cancelled installment to pending is 422 plan_total_mismatch if no installment can return its amount', async () => {
    const schedule = await inStatus('cancelled');
    const [first, , third] = await schedulesOf(owner, schedule.bookingId);
    await pay(app, first?.id ?? '', 30_000);
    await pay(app, third?.id ?? '', 50_000);
    const { status, body } = await change(owner, schedule, { status: 'pending' });
    expect(status).toBe(422);
    expect(body).toEqual(
      problem('plan_total_mismatch', { field: 'amountCents', expected: 100_000, actual: 110_000, difference: 10_000 }),
    );
    const none = await change(owner, schedule, [{ status: 'pending' }, '?rebalance=none']);
    expect(none.status).toBe(422);
  });
});

describe('a paid installment', () => {
  it.each([{ amountCents: 1 }, { dueDate: '2027-01-01' }, { status: 'pending' }, { status: 'cancelled' }])(
    'a paid installment keeps its terms: %j is 409 schedule_paid',
    async (body) => {
      const { status, body: answer } = await change(owner, await inStatus('paid'), body);
      expect(status).toBe(409);
      expect(answer).toEqual(problem('schedule_paid'));
    },
  );

  it('a paid installment accepts a label and notes, and no other installment changes', async () => {
    const paid = await inStatus('paid');
    const { dueDate, amountCents } = paid;
    const { status, body } = await change(owner, paid, {
      label: 'Paid in cash',
      notes: 'By hand',
      dueDate,
      amountCents,
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...paid,
      label: 'Paid in cash',
      notes: 'By hand',
      version: paid.version + 1,
      updatedAt: expect.any(String),
    });
  });
});

describe('a cancelled installment', () => {
  it.each([{ amountCents: 1 }, { dueDate: '2027-01-01' }, { status: 'paid' }, { status: 'overdue' }])(
    'a cancelled installment keeps its terms: %j is 409 schedule_cancelled',
    async (body) => {
      const { status, body: answer } = await change(owner, await inStatus('cancelled'), body);
      expect(status).toBe(409);
      expect(answer).toEqual(problem('schedule_cancelled'));
    },
  );

  it('a cancelled installment accepts a label and notes', async () => {
    const { status } = await change(owner, await inStatus('cancelled'), { label: 'Moved', notes: null });
    expect(status).toBe(200);
  });
});

describe('an installment of a cancelled booking', () => {
  it('an installment of a cancelled booking cannot be changed: 409 booking_closed', async () => {
    const [bookingId, first] = await planned(owner);
    await cancelBooking(owner, bookingId);
    for (const body of [{ label: 'x' }, { status: 'pending' }]) {
      const { status, body: answer } = await change(owner, first, body);
      expect(status).toBe(409);
      expect(answer).toEqual(problem('booking_closed'));
    }
  });
});
