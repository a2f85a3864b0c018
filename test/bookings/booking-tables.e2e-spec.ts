/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const NOW = '2027-01-01T00:00:00Z';

/** Inserts a booking with one item of 1000 without the service, and applies one more change. */
async function constraintOf(change: string): Promise<string | undefined> {
  const [booking, item] = [newId('book'), newId('bkit')];
  try {
    await app.sql(`do $$ begin
      insert into bookings (id, number, status, currency, total_cents, customer_name, version, created_at, updated_at)
      values ('${booking}', '${booking}', 'draft', 'EUR', 1000, 'Ada', 1, '${NOW}', '${NOW}');
      insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents,
        total_sell_cents, tax_included_cents, pricing_treatment, version, created_at, updated_at)
      values ('${item}', '${booking}', 'EUR', 'unit', 'Seat', 'confirmed', 2, 500, 1000, 160, 'standard', 1,
        '${NOW}', '${NOW}');
      ${change.replaceAll(':booking', `'${booking}'`).replaceAll(':item', `'${item}'`)};
    end $$`);
    return undefined;
  } catch (error) {
    return (error as { constraint?: string }).constraint;
  }
}

const booking = (set: string) => `update bookings set ${set} where id = :booking`;
const item = (set: string) => `update booking_items set ${set} where id = :item`;
const cancelled = `status = 'cancelled', cancelled_at = now()`;

describe('the tables of bookings and items', () => {
  it.each([
    ['a total that is the sum of the live items', 'perform 1'],
    ['an item that is cancelled and the total with it', `${item(cancelled)}; ${booking('total_cents = 0')}`],
    [
      'a discount with its negative tax',
      `${item("type = 'discount', unit_sell_cents = -5, total_sell_cents = -10, tax_included_cents = -2")};
      insert into booking_items select :item || 'x', booking_id, currency, 'fee', title, status, 1, 10, 10, 0, null,
        null, pricing_treatment, null, null, null, 1, created_at, updated_at from booking_items where id = :item;
      ${booking('total_cents = 0')}`,
    ],
  ])('the booking tables accept %s', async (_, change) => expect(await constraintOf(change)).toBeUndefined());

  it.each([
    ['a total that is not the sum of the live items', booking('total_cents = 999'), 'bookings_total_is_the_sum'],
    ['no total although there are items', booking('total_cents = null'), 'bookings_total_is_the_sum'],
    ['an item that is cancelled without its total', item(cancelled), 'bookings_total_is_the_sum'],
    [
      'a deleted item that is still in the total',
      'delete from booking_items where id = :item',
      'bookings_total_is_the_sum',
    ],
    ['a negative total', booking('total_cents = -1'), 'bookings_total_bounds'],
    [
      'a live item of a cancelled booking',
      `${item('unit_sell_cents = 0, total_sell_cents = 0, tax_included_cents = 0')};
       ${booking(`total_cents = 0, ${cancelled}, cancel_reason = 'x'`)}`,
      'bookings_cancelled_with_items',
    ],
    ['another currency once there is an item', booking("currency = 'USD'"), 'booking_items_booking'],
    ['an item of another currency', item("currency = 'USD'"), 'booking_items_booking'],
    ['an end before the start', booking("start_date = '2027-05-02', end_date = '2027-05-01'"), 'bookings_dates'],
    ['a confirmation without its timestamp', booking("status = 'confirmed'"), 'bookings_confirmation'],
    ['the timestamp of a confirmation on a draft', booking('confirmed_at = now()'), 'bookings_confirmation'],
    ['a cancellation without its timestamps', booking("status = 'cancelled'"), 'bookings_cancellation'],
    ['the timestamps of a cancellation on an active booking', booking('cancelled_at = now()'), 'bookings_cancellation'],
    ['an unknown status', booking("status = 'open', confirmed_at = now()"), 'bookings_status_check'],
    ['an unknown channel', booking("channel_id = 'chan_x'"), 'bookings_channel'],
    ['a removal while there are items', 'delete from bookings where id = :booking', 'booking_items_booking'],
    ['a total that is not quantity * unit', item('total_sell_cents = 999'), 'booking_items_total'],
    ['a negative price of a unit', item('unit_sell_cents = -500, total_sell_cents = -1000'), 'booking_items_sign'],
    ['a discount above 0', item("type = 'discount'"), 'booking_items_sign'],
    ['more tax than the total', item('tax_included_cents = 1001'), 'booking_items_tax'],
    ['a negative tax', item('tax_included_cents = -1'), 'booking_items_tax'],
    ['a cost without a currency', item('cost_cents = 1'), 'booking_items_cost'],
    ['a currency without a cost', item("cost_currency = 'EUR'"), 'booking_items_cost'],
    ['a quantity of 0', item('quantity = 0'), 'booking_items_quantity_check'],
    ['a cancelled item without its timestamp', item("status = 'cancelled'"), 'booking_items_cancellation'],
    ['a cancellation timestamp on an active item', item('cancelled_at = now()'), 'booking_items_cancellation'],
  ])('the booking tables reject %s', async (_, change, constraint) =>
    expect(await constraintOf(change)).toBe(constraint),
  );

  it('the booking tables reject a duplicate booking number', async () => {
    const twice = `insert into bookings select :booking || 'x', number, status, currency, null, customer_name, null, null,
      null, null, null, null, null, null, null, 1, created_at, updated_at from bookings where id = :booking`;
    expect(await constraintOf(twice)).toBe('bookings_number');
  });
});
