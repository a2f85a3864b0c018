import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { releaseInstant, remainingOf, unitsToRelease } from './release-rule.js';

const BUCHAREST = 'Europe/Bucharest';

describe('a release', () => {
  it.each([
    {
      title: '3 days 12 hours before 09:00 is 21:00 there',
      start: '2026-05-12T06:00Z',
      step: [3, 12],
      due: '2026-05-08T18:00Z',
    },
    {
      title: '1 day 8 hours: the clocks cost an hour',
      start: '2026-03-30T06:00Z',
      step: [1, 8],
      due: '2026-03-28T22:00Z',
    },
    { title: 'at the start itself', start: '2026-03-30T06:00Z', step: [0, 0], due: '2026-03-30T06:00Z' },
  ])('$title', ({ start, step: [daysBefore = 0, hoursBefore = 0], due }) => {
    const departure = { startsAt: new Date(start), timeZone: BUCHAREST };
    expect(releaseInstant(departure, { daysBefore, hoursBefore })).toEqual(new Date(due));
  });

  it('of 20 with 6 sold that keeps 8 gives back 6, and the next that keeps none, with 8 sold by then, 6', () => {
    const first = unitsToRelease({ allotted: 20, sold: 6, released: 0 }, 8);
    expect(first).toBe(6);
    expect(unitsToRelease({ allotted: 20, sold: 8, released: first }, 0)).toBe(6);
  });

  it('gives back nothing of what is sold or kept, and leaves no more than is kept', () => {
    const count = fc.integer({ min: 0, max: 1_000 });
    const terms = fc.record({ sold: count, released: count, left: count, keep: count });
    fc.assert(
      fc.property(terms, ({ sold, released, left, keep }) => {
        const slot = { allotted: sold + released + left, sold, released };
        const units = unitsToRelease(slot, keep);
        const after = { ...slot, released: released + units };
        expect(units).toBeGreaterThanOrEqual(0);
        expect(remainingOf(after)).toBe(Math.min(left, keep));
        expect(unitsToRelease(after, keep)).toBe(0);
      }),
    );
  });
});
