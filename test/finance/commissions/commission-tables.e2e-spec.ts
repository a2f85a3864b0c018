/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import { cancelItem, change, departedItem, earn, fixed, terms } from './commissions.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

async function constraintOf(text: string, values: unknown[]): Promise<string | undefined> {
  try {
    await app.sql(text, values);
    return undefined;
  } catch (error) {
    return (error as { constraint?: string }).constraint;
  }
}

describe('the commissions table', () => {
  it.each([
    ['a rate above the whole', 'rate_basis_points = 10001', 'commission_lines_rate_basis_points_check'],
    ['a negative amount', 'amount_cents = -1', 'commission_lines_amount'],
    ['more than the item is sold for', 'amount_cents = 120001', 'commission_lines_within_item'],
    ['a percentage without its rate', 'rate_basis_points = null', 'commission_lines_model'],
    ['a percentage without its basis', 'basis = null', 'commission_lines_model'],
    ['an input of another model', 'net_rate_cents = 1', 'commission_lines_model'],
    ['the status paid without its timestamps', "status = 'paid', payable_at = now()", 'commission_lines_payout'],
    [
      'the timestamps of a payout on an unpaid commission',
      'paid_at = now(), paid_on = now()',
      'commission_lines_payout',
    ],
    ['the status payable without its timestamp', "status = 'payable'", 'commission_lines_payable'],
    ['the status void without its timestamps', "status = 'void'", 'commission_lines_voiding'],
    ['an unknown status', "status = 'open'", 'commission_lines_status_check'],
    ['another currency than the item', "currency = 'USD'", 'commission_lines_item'],
    ['an unknown channel', "channel_id = 'chan_x'", 'commission_lines_channel_id_fkey'],
  ])('the commissions table rejects %s', async (_, set, constraint) => {
    const line = await earn(app.as('owner'), (await departedItem(app.as('owner'))).id);
    expect(await constraintOf(`update commission_lines set ${set} where id = $1`, [line.id])).toBe(constraint);
  });

  it('the commissions table rejects a change of a paid commission and the deletion of any commission', async () => {
    const owner = app.as('owner');
    const item = await departedItem(owner);
    const [open, paid] = [
      await earn(owner, item.id),
      await earn(owner, item.id, terms({ payableTrigger: 'departed' })),
    ];
    await owner.post(`${change(paid)}/payout`, { paidOn: '2026-01-31' });
    const touch = 'update commission_lines set notes = $2 where id = $1';
    expect(await constraintOf(touch, [paid.id, 'x'])).toBe('commission_lines_paid_stay');
    const remove = 'delete from commission_lines where id = $1';
    expect(await constraintOf(remove, [paid.id])).toBe('commission_lines_stay');
    expect(await constraintOf(remove, [open.id])).toBe('commission_lines_stay');
  });

  it('the commissions table rejects a price of an item below the sum of its commissions', async () => {
    const owner = app.as('owner');
    const item = await departedItem(owner);
    await earn(owner, item.id, fixed(120_000));
    const cheaper = `with cheaper as (
        update booking_items set unit_sell_cents = 119999, total_sell_cents = 119999 where id = $1 returning booking_id)
      update bookings set total_cents = 119999 from cheaper where bookings.id = booking_id`;
    expect(await constraintOf(cheaper, [item.id])).toBe('commission_lines_within_item');
  });

  it('the commissions table rejects a second open adjustment, and an adjustment of one that is not paid out', async () => {
    const owner = app.as('owner');
    const item = await departedItem(owner);
    const paid = await earn(owner, item.id, terms({ payableTrigger: 'departed' }));
    await owner.post(`${change(paid)}/payout`, { paidOn: '2026-01-31' });
    await cancelItem(owner, item);
    const again = (amount: number) => `
      insert into commission_lines (id, booking_id, booking_item_id, currency, recipient_type, recipient_name, channel_id,
        commission_model, basis, rate_basis_points, per_unit, base_cents, amount_cents, computed_at, payable_trigger,
        status, payable_at, reverses_id, version, created_at, updated_at)
      select id || 'x', booking_id, booking_item_id, currency, recipient_type, recipient_name, channel_id,
        commission_model, basis, rate_basis_points, per_unit, base_cents, ${amount}, now(), payable_trigger, 'payable',
        now(), id, 1, now(), now() from commission_lines where id = $1`;
    expect(await constraintOf(again(-9_999), [paid.id])).toBe('commission_lines_open_adjustment');
    const open = await earn(owner, (await departedItem(owner)).id);
    expect(await constraintOf(again(-10_000), [open.id])).toBe('commission_lines_mirror');
  });
});
