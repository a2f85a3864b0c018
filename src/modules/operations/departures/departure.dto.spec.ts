import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateDeparture, ListDepartures, UpdateDeparture } from './departure.dto.js';

const DEPARTURE = {
  productId: 'delta-tour',
  startsAt: '2127-05-12T06:00:00.000Z',
  endsAt: '2127-05-12T15:00:00.000Z',
  timeZone: 'Europe/Bucharest',
  capacity: 20,
  priceCents: 5_900,
  currency: 'EUR',
};

describe('a new departure', () => {
  it('a new departure has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateDeparture, DEPARTURE)).toEqual([]);
  });

  it.each([
    [
      { timeZone: '+02:00' },
      issue('timeZone', 'wrong_format', 'timeZone must be the IANA name of a time zone, such as Europe/Bucharest'),
    ],
    [{ currency: 'EUX' }, issue('currency', 'wrong_format', 'currency must be an ISO 4217 currency code, such as EUR')],
    [{ capacity: -1 }, issue('capacity', 'too_small', 'capacity must not be less than 0')],
    [{ priceCents: -1 }, issue('priceCents', 'too_small', 'priceCents must not be less than 0')],
    [{ sold: 1 }, issue('sold', 'unknown_member', 'sold is not recognized')],
  ])('a new departure rejects %j', async (terms, expected) => {
    expect(await issuesOf(CreateDeparture, { ...DEPARTURE, ...terms })).toEqual([expected]);
  });

  it.each(['a b', '', 'é', 'x'.repeat(129), null, 7])('a new departure rejects the product %j', async (productId) => {
    expect(await invalidMembers(CreateDeparture, { ...DEPARTURE, productId })).toEqual(['productId']);
  });
});

describe('a change of a departure', () => {
  it.each(['startsAt', 'endsAt', 'timeZone', 'capacity', 'priceCents', 'taxIncludedCents', 'currency'])(
    'a change of a departure rejects null for %s',
    async (field) => {
      expect(await invalidMembers(UpdateDeparture, { [field]: null })).toEqual([field]);
    },
  );

  it.each([{ productId: 'other' }, { status: 'cancelled' }, { sold: 1 }, { id: 'dep_01k0dem000e000000000000001' }])(
    'a change of a departure rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateDeparture, changes)).toEqual([issue(member, 'unknown_member')]);
    },
  );

  it('a change of a departure requires at least one member', async () => {
    expect(await issuesOf(UpdateDeparture, {})).toEqual([issue('', 'empty')]);
  });
});

describe('a query for departures', () => {
  it.each([
    ['from=2027-02-30', 'from'],
    ['status=gone', 'status'],
    ['sort=capacity', 'sort'],
    ['status=scheduled&status=cancelled', 'status'],
  ])('a query for departures rejects %s at %s', async (query, path) => {
    expect(await invalidMembers(ListDepartures, query)).toEqual([path]);
  });
});
