import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateBookingItem, UpdateBookingItem } from './booking-item.dto.js';

const ITEM = { type: 'unit', title: 'Seat', unitSellCents: 10_000 };

describe('a new booking item', () => {
  it('a new booking item has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateBookingItem, ITEM)).toEqual([]);
  });

  it.each([
    [{ costCents: -1, costCurrency: 'EUR' }, 'costCents', 'too_small'],
    [{ quantity: 0 }, 'quantity', 'too_small'],
    [{ quantity: 1.5 }, 'quantity', 'wrong_type'],
    [{ type: 'flight' }, 'type', 'unknown_value'],
    [{ title: ' ' }, 'title', 'too_short'],
    [{ serviceDate: '2027-02-29' }, 'serviceDate', 'wrong_format'],
    [{ totalSellCents: 10_000 }, 'totalSellCents', 'unknown_member'],
  ])('a new booking item rejects %j at %s with the code %s', async (over, path, code) => {
    expect(await issuesOf(CreateBookingItem, { ...ITEM, ...over })).toEqual([issue(path, code)]);
  });
});

describe('a change of a booking item', () => {
  it.each([
    [{ status: 'cancelled' }, 'status', 'unknown_member'],
    [{ bookingId: 'x' }, 'bookingId', 'unknown_member'],
    [{}, '', 'empty'],
  ])('a change of a booking item rejects %j at "%s" with the code %s', async (changes, path, code) => {
    expect(await issuesOf(UpdateBookingItem, changes)).toEqual([issue(path, code)]);
  });
});
