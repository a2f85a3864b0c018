import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keptByHand, releaseInstant, remainingOf, type ReleaseRule, unitsToRelease } from './release-rule.js';

const NONE = { sold: 0, held: 0, released: 0, suspended: 0 };
const BUCHAREST = 'Europe/Bucharest';

describe('a release', () => {
  it.each([
    {
      title: '3 days and 12 hours before 09:00 is 21:00 local time',
      start: '2026-05-12T06:00Z',
      step: [3, 12],
      due: '2026-05-08T18:00Z',
    },
    {
      title: '1 day and 8 hours span the start of summer time',
      start: '2026-03-30T06:00Z',
      step: [1, 8],
      due: '2026-03-28T22:00Z',
    },
    { title: '0 days and 0 hours is the start', start: '2026-03-30T06:00Z', step: [0, 0], due: '2026-03-30T06:00Z' },
  ])('a release is due as expected: $title', ({ start, step: [daysBefore = 0, hoursBefore = 0], due }) => {
    const departure = { startsAt: new Date(start), timeZone: BUCHAREST };
    expect(releaseInstant(departure, { daysBefore, hoursBefore })).toEqual(new Date(due));
  });

  it('a release of 20 units with 6 sold, keeping 8, releases 6; then, with 8 sold, keeping none, releases 6', () => {
    const first = unitsToRelease({ ...NONE, allotted: 20, sold: 6 }, 8);
    expect(first).toBe(6);
    expect(unitsToRelease({ ...NONE, allotted: 20, sold: 8, released: first }, 0)).toBe(6);
  });

  it('a release includes no sold or kept units, and leaves no more than the kept units', () => {
    const count = fc.integer({ min: 0, max: 1_000 });
    const terms = fc.record({ sold: count, held: count, released: count, suspended: count, left: count, keep: count });
    fc.assert(
      fc.property(terms, ({ sold, held, released, suspended, left, keep }) => {
        const slot = { allotted: sold + held + released + suspended + left, sold, held, released, suspended };
        const units = unitsToRelease(slot, keep);
        const after = { ...slot, released: released + units };
        expect(units).toBeGreaterThanOrEqual(0);
        expect(remainingOf(after)).toBe(Math.min(left, keep));
        expect(unitsToRelease(after, keep)).toBe(0);
      }),
    );
  });

  it('a manual release keeps what the due steps of a manual rule keep, in any order of the steps', () => {
    const rule: ReleaseRule = {
      mode: 'manual',
      steps: [
        { daysBefore: 7, hoursBefore: 0, keepQuantity: 1 },
        { daysBefore: 21, hoursBefore: 0, keepQuantity: 5 },
      ],
      unsoldAction: 'release_to_general_pool',
      reclaimOnMove: true,
    };
    const start = { startsAt: new Date('2026-05-22T06:00Z'), timeZone: BUCHAREST };
    const kept = (now: string, of: ReleaseRule | null = rule) => keptByHand(of, start, new Date(now));
    const before = ['2026-04-01T00:00Z', '2026-05-01T06:00Z', '2026-05-15T05:59Z', '2026-05-15T06:00Z'];
    expect(before.map((now) => kept(now))).toEqual([5, 5, 5, 1]);
    expect([kept('2026-05-21T00:00Z', null), kept('2026-05-21T00:00Z', { ...rule, mode: 'automatic' })]).toEqual([
      0, 0,
    ]);
  });
});
