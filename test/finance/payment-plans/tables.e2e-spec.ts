/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import { planned } from './plans.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

/**
 * The constraint that rejects these statements, run in one transaction without the service; `:first` is an installment
 * of 30 %.
 */
async function constraintOf(statements: string): Promise<string | undefined> {
  const [bookingId, first, second] = await planned(app.as('owner'));
  const [other] = await planned(app.as('owner'), { currency: 'CHF' });
  const ids = { ':booking': bookingId, ':first': first.id, ':second': second.id, ':other': other };
  const text = Object.entries(ids).reduce((sql, [name, id]) => sql.replaceAll(name, `'${id}'`), statements);
  try {
    await app.sql(`do $$ begin ${text}; end $$`);
    return undefined;
  } catch (error) {
    return (error as { constraint?: string }).constraint ?? String(error);
  }
}

const first = (change: string) => `update payment_schedules set ${change} where id = :first`;
const second = (change: string) => `update payment_schedules set ${change} where id = :second`;
const total = (change: string) => `update bookings set ${change} where id = :booking`;
const item = (cents: number) =>
  `update booking_items set unit_sell_cents = ${cents}, total_sell_cents = ${cents} where booking_id = :booking`;

describe('the plan invariant at the commit', () => {
  it.each([
    ['an amount that grows alone', first('amount_cents = amount_cents + 1')],
    ['an amount that moves half', `${first('amount_cents = 29000')}; ${second('amount_cents = 30999')}`],
    ['a cancellation that moves nothing', first("status = 'cancelled'")],
    ['a waiver that is forgotten', `${first("status = 'cancelled', waived = true")}; ${first('waived = false')}`],
    ['a deleted installment', 'delete from payment_schedules where id = :first'],
    ['a total that moves alone', `${item(99_999)}; ${total('total_cents = 99999')}`],
    ['a plan that loses its mark', `update payment_plans set off_by_cents = -1 where booking_id = :booking`],
  ])('the plan invariant rejects %s', async (_, statements) => {
    expect(['payment_plans_sum', 'payment_plans_nearer']).toContain(await constraintOf(statements));
  });

  it.each([
    ['amounts that move from one to another', `${first('amount_cents = 1')}; ${second('amount_cents = 59999')}`],
    ['a waiver', first("status = 'cancelled', waived = true")],
    ['money that comes and goes', `${first('paid_cents = 1')}; ${first('paid_cents = 0')}`],
    [
      'a total that moves with an installment',
      `${item(99_999)}; ${total('total_cents = 99999')}; ${first('amount_cents = 29999')}`,
    ],
    [
      'anything of a cancelled booking',
      `update booking_items set status = 'cancelled', cancelled_at = now() where booking_id = :booking;
       ${total("total_cents = 0, status = 'cancelled', cancelled_at = now(), cancel_reason = 'x'")}; ${first('amount_cents = 7')}`,
    ],
    [
      'a plan that is no longer the current one',
      'update payment_plans set is_current = false where booking_id = :booking',
    ],
  ])('the plan invariant allows %s', async (_, statements) => expect(await constraintOf(statements)).toBeUndefined());

  it('the plan invariant does not let an imported plan get further away from its booking', async () => {
    const worse = 'update payment_plans set off_by_cents = 1 where booking_id = :booking';
    expect(await constraintOf(worse)).toBe('payment_plans_nearer');
  });
});

describe('the installments table', () => {
  it.each([
    ['an amount of 0', first('amount_cents = 0'), 'payment_schedules_amount_cents_check'],
    ['more paid than the amount', first('paid_cents = 30001'), 'payment_schedules_paid'],
    ['a negative payment', first('paid_cents = -1'), 'payment_schedules_paid'],
    ['paid without its money', first("status = 'paid'"), 'payment_schedules_settled'],
    ['all of its money without being paid', first('paid_cents = 30000'), 'payment_schedules_settled'],
    ['a cancellation with money on it', first("paid_cents = 1, status = 'cancelled'"), 'payment_schedules_cancelled'],
    ['a waiver of what is open', first('waived = true'), 'payment_schedules_waived'],
    ['a status that is derived', first("status = 'overdue'"), 'payment_schedules_status_check'],
    ['another currency than the booking’s', first("currency = 'CHF'"), 'payment_schedules_currency'],
    ['another booking than the plan’s', first('booking_id = :other'), 'payment_schedules_plan'],
    ['a position twice', first('position = 2'), 'payment_schedules_position'],
    ['a due date that cannot be answered', first("due_date = '10000-01-01'"), 'payment_schedules_due_date_check'],
    [
      'a second current plan',
      `insert into payment_plans select id || 'x', booking_id, 2, policy, source, total_cents, 0, true, created_at
       from payment_plans where booking_id = :booking`,
      'payment_plans_current',
    ],
    [
      'a plan version twice',
      `insert into payment_plans select id || 'x', booking_id, 1, policy, source, total_cents, 0, false, created_at
       from payment_plans where booking_id = :booking`,
      'payment_plans_version',
    ],
    [
      'a plan with a policy from nowhere',
      "update payment_plans set source = 'none' where booking_id = :booking",
      'payment_plans_policy',
    ],
  ])('the installments table rejects %s', async (_, statements, constraint) =>
    expect(await constraintOf(statements)).toBe(constraint),
  );
});
