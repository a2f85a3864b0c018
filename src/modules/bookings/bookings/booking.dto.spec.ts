import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CancelBooking, CreateBooking, ListBookings, UpdateBooking } from './booking.dto.js';

const BOOKING = { currency: 'EUR', customerName: 'Ada Lovelace' };

describe('a new booking', () => {
  it('a new booking requires the currency; its name or its customer is checked later', async () => {
    expect(await invalidMembers(CreateBooking, {})).toEqual(['currency']);
    expect(await issuesOf(CreateBooking, BOOKING)).toEqual([]);
  });

  it.each([
    ['currency', 'eur', 'wrong_format'],
    ['number', 'x'.repeat(41), 'too_long'],
    ['customerEmail', 'nobody', 'wrong_format'],
    ['customerLanguage', 'German', 'wrong_format'],
    ['customerAddress', 'x'.repeat(1101), 'too_long'],
    ['startDate', '2026-02-30', 'wrong_format'],
    ['endDate', 'today', 'wrong_format'],
    ['status', 'open', 'unknown_value'],
    ['totalCents', 1, 'unknown_member'],
    ['departureId', 'dep_1', 'unknown_member'],
    ['paymentPolicy', [], 'wrong_type'],
  ])('a new booking rejects %s %j with the code %s', async (field, value, code) => {
    expect(await issuesOf(CreateBooking, { ...BOOKING, [field]: value })).toEqual([issue(field, code)]);
  });
});

describe('a change of a booking', () => {
  it.each(['number', 'currency', 'customerName'])('a change of a booking rejects null for %s', async (field) => {
    expect(await invalidMembers(UpdateBooking, { [field]: null })).toEqual([field]);
  });

  it.each([{ status: 'confirmed' }, { id: 'x' }, { totalCents: 1 }, { version: 7 }])(
    'a change of a booking rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateBooking, changes)).toEqual([issue(member, 'unknown_member')]);
    },
  );

  it('a change of a booking requires at least one member', async () => {
    expect(await issuesOf(UpdateBooking, {})).toEqual([issue('', 'empty')]);
  });
});

describe('a reason for cancelling a booking', () => {
  it.each([{}, { reason: ' ' }, { reason: 'x'.repeat(2001) }])(
    'a reason for cancelling a booking must not be %j',
    async (body) => {
      expect(await invalidMembers(CancelBooking, body)).toEqual(['reason']);
    },
  );
});

describe('a query for bookings', () => {
  it.each([
    ['status=open', 'status', 'unknown_value'],
    ['sort=customerEmail', 'sort', 'unknown_value'],
    ['startFrom=2026-02-30', 'startFrom', 'wrong_format'],
    ['balance=settled', 'balance', 'unknown_value'],
    ['travelTo=2026-02-30', 'travelTo', 'wrong_format'],
    ['createdAfter=2026-02-01', 'createdAfter', 'wrong_format'],
  ])('a query for bookings rejects %s at %s with the code %s', async (query, field, code) => {
    expect(await issuesOf(ListBookings, query)).toEqual([issue(field, code)]);
  });
});
