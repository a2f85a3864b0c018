import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CancelBooking, CreateBooking, ListBookings, UpdateBooking } from './booking.dto.js';

const BOOKING = { currency: 'EUR', customerName: 'Ada Lovelace' };

describe('a new booking', () => {
  it('a new booking requires the currency and the customer, and nothing else', async () => {
    expect(await invalidMembers(CreateBooking, {})).toEqual(['currency', 'customerName']);
    expect(await issuesOf(CreateBooking, BOOKING)).toEqual([]);
  });

  it.each([
    ['currency', 'eur', 'isCurrency'],
    ['number', 'x'.repeat(41), 'maxLength'],
    ['customerEmail', 'nobody', 'isEmail'],
    ['startDate', '2026-02-30', 'isDate'],
    ['endDate', 'today', 'isDate'],
    ['status', 'open', 'isIn'],
    ['totalCents', 1, 'whitelistValidation'],
    ['departureId', 'dep_1', 'whitelistValidation'],
    ['paymentPolicy', [], 'isObject'],
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
      expect(await issuesOf(UpdateBooking, changes)).toEqual([issue(member, 'whitelistValidation')]);
    },
  );

  it('a change of a booking requires at least one member', async () => {
    expect(await issuesOf(UpdateBooking, {})).toEqual([issue('', 'notEmpty')]);
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
    ['status=open', 'status', 'isIn'],
    ['sort=customerName', 'sort', 'isIn'],
    ['startFrom=2026-02-30', 'startFrom', 'isDate'],
  ])('a query for bookings rejects %s at %s with the code %s', async (query, field, code) => {
    expect(await issuesOf(ListBookings, query)).toEqual([issue(field, code)]);
  });
});
