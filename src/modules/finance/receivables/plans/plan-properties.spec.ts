import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PolicyStep } from '../../../bookings/index.js';
import { dayNumber, dayOf } from '../account/day-numbers.js';
import { computePlan, type PlanInput } from './plan.js';

const step = (over: Partial<PolicyStep>): PolicyStep => ({
  label: 'Step',
  type: 'installment',
  percentBasisPoints: null,
  fixedCents: null,
  remainder: false,
  anchor: 'booking',
  offsetDays: 0,
  ...over,
});

describe('every collection plan', () => {
  const amounts = fc.oneof(
    fc.record({ percentBasisPoints: fc.integer({ min: 0, max: 10_000 }) }),
    fc.record({ fixedCents: fc.oneof(fc.nat(200_000), fc.maxSafeNat()) }),
  );
  const when = {
    anchor: fc.constantFrom('booking' as const, 'departure' as const),
    offsetDays: fc.oneof(fc.integer({ min: -90, max: 90 }), fc.integer({ min: -3650, max: 3650 })),
    type: fc.constantFrom('deposit' as const, 'installment' as const, 'balance' as const),
  };
  const steps = fc
    .tuple(
      fc.array(
        fc.tuple(amounts, fc.record(when)).map(([amount, at]) => step({ ...amount, ...at })),
        { maxLength: 11 },
      ),
      fc.record(when),
      fc.nat(11),
    )
    .map(([others, at, place]) => {
      const index = Math.min(place, others.length);
      return [...others.slice(0, index), step({ ...at, remainder: true }), ...others.slice(index)];
    });
  const inputs: fc.Arbitrary<PlanInput> = fc.record({
    totalCents: fc.oneof(fc.nat(1000), fc.maxSafeNat()),
    today: fc.integer({ min: dayNumber('1990-01-01'), max: dayNumber('2199-12-31') }).map(dayOf),
    departureDate: fc.option(fc.integer({ min: dayNumber('1990-01-01'), max: dayNumber('2199-12-31') }).map(dayOf)),
    policy: fc.option(
      fc.record({
        steps,
        minimumDays: fc.nat(60),
        floorDays: fc.nat(60),
        noDateDays: fc.option(fc.nat(3650)),
        roundToCents: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
      }),
    ),
  });
  // Two random days are rarely close to each other.
  const near = fc.tuple(inputs, fc.integer({ min: -5, max: 120 })).map(([other, days]): PlanInput => {
    return { ...other, departureDate: dayOf(dayNumber(other.today) + days) };
  });

  it('every collection plan adds up to the total, has no zero, and dates that go forward from today and end by the departure', () => {
    fc.assert(
      fc.property(fc.oneof(inputs, near), (input) => {
        const { entries, warnings } = computePlan(input);
        const sum = entries.reduce((all, { amountCents }) => all + BigInt(amountCents), 0n);
        expect(sum).toBe(BigInt(input.totalCents));
        expect(entries.every(({ amountCents }) => amountCents > 0)).toBe(true);

        const days = entries.map(({ dueDate }) => dueDate);
        expect(days).toEqual([...new Set(days)].sort());
        expect(days.every((day) => day >= input.today)).toBe(true);
        const isPast = input.departureDate !== null && input.departureDate < input.today;
        const last = input.departureDate === null || isPast ? '2199-12-31' : input.departureDate;
        expect(days.every((day) => day <= last)).toBe(true);
        expect(warnings).toEqual(isPast && input.totalCents > 0 ? ['departure_past'] : []);
        expect(entries.length).toBeLessThanOrEqual(input.policy?.steps.length ?? 1);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a count of days', () => {
  it('a count of days is the same day again, across leap days and the ends of the calendar', () => {
    fc.assert(fc.property(fc.integer({ min: -25_567, max: 84_005 }), (number) => dayNumber(dayOf(number)) === number));
    expect([dayOf(dayNumber('2028-02-28') + 1), dayOf(dayNumber('1900-01-01'))]).toEqual(['2028-02-29', '1900-01-01']);
    expect(dayOf(dayNumber('2199-12-31') + 1)).toBe('2199-12-31');
  });
});
