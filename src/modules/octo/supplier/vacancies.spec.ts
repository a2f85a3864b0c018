import { describe, expect, it } from '@jest/globals';
import { placeUnits, seatsOf, statusOf, vacanciesOf } from './vacancies.js';

const departure = { available: 10, capacity: 20 };
const slot = (type: 'guaranteed' | 'cap', remaining: number, active = true) => ({
  ...{ allotmentId: 'alot_1', departureId: 'dep_1', type, active, units: 6, remaining },
});
const [only, both] = [{ poolPolicy: 'allotment_only' }, { poolPolicy: 'allotment_then_pool' }] as const;

describe('the vacancies of a channel', () => {
  it.each([
    ['no slot, with the pool', both, null, { seats: 10, capacity: 20, isOpen: true }],
    ['no slot, without the pool', only, null, { seats: 0, capacity: 20, isOpen: false }],
    ['guaranteed units with the pool', both, slot('guaranteed', 4), { seats: 14, capacity: 20, isOpen: true }],
    ['guaranteed units alone', only, slot('guaranteed', 4), { seats: 4, capacity: 6, isOpen: true }],
    ['a cap above the pool', both, slot('cap', 15), { seats: 10, capacity: 20, isOpen: true }],
    ['a cap below the pool', both, slot('cap', 3), { seats: 3, capacity: 20, isOpen: true }],
    ['a cap of an inactive allotment', both, slot('cap', 3, false), { seats: 0, capacity: 20, isOpen: false }],
    ['an inactive guarantee', only, slot('guaranteed', 4, false), { seats: 0, capacity: 6, isOpen: false }],
  ])('%s', (_, policy, own, expected) => {
    const vacancies = vacanciesOf(policy, departure, own);
    const { capacity, isOpen } = vacancies;
    expect({ seats: seatsOf(vacancies), capacity, isOpen }).toEqual(expected);
  });

  it('a departure is limited below half of its capacity, and sold out for more seats than it has', () => {
    const state = (seats: number, wanted: number, isOnSale = true) =>
      statusOf({ seats, capacity: 20, wanted }, isOnSale);
    expect([state(10, 0), state(9, 9), state(9, 10), state(0, 0), state(9, 0, false)]).toEqual([
      ...['AVAILABLE', 'LIMITED', 'SOLD_OUT', 'SOLD_OUT', 'CLOSED'],
    ]);
  });
});

describe('the places of units', () => {
  it('a unit takes all of its seats from the slot or from the pool, the largest units first', () => {
    const [family, one, two, infant] = [{ seats: 4 }, { seats: 1 }, { seats: 1 }, { seats: 0 }];
    const vacancies = { ...{ capacity: 20, isOpen: true, poolSeats: 2 }, slot: { allotmentId: 'a', seats: 5 } };
    const places = placeUnits([one, two, family, infant], vacancies);
    expect([family, one, two, infant].map((unit) => places?.get(unit))).toEqual(['a', 'a', null, 'a']);
  });

  it('units that do not fit together are not placed at all', () => {
    const vacancies = { ...{ capacity: 20, isOpen: true, poolSeats: 3 }, slot: { allotmentId: 'a', seats: 3 } };
    expect(placeUnits([{ seats: 4 }], vacancies)).toBeNull();
  });
});
