import { describe, expect, it } from '@jest/globals';
import { daysAfter } from '../../../platform/time/calendar.js';
import { type DatedPrice, lowestPrice } from './lowest-price.js';
import { unitPrice } from './unit-price.js';

const TODAY = '2026-12-28';
const DAYS = 70;
const OPTIONS = ['morning', 'evening'];
const UNITS = ['adult', 'senior'];
const SALE = { currency: 'EUR', today: TODAY, days: DAYS, optionIds: OPTIONS };

function dated(given: Partial<DatedPrice>): DatedPrice {
  return {
    ...{ priceListId: 'list', version: 1, listedAt: new Date('2026-01-01'), currency: 'EUR', channelId: null },
    ...{ soldFrom: null, soldTo: null, priority: 0, optionId: null, weekday: null, amountCents: 10_000 },
    ...{ unitId: 'adult', from: null, to: null, ...given },
  };
}

describe('the lowest price', () => {
  it('is null without a price, and 0 is a price', () => {
    expect(lowestPrice([], SALE)).toBeNull();
    expect(lowestPrice([dated({ currency: 'USD' }), dated({ channelId: 'agency' })], SALE)).toBeNull();
    expect(lowestPrice([dated({}), dated({ unitId: 'senior', amountCents: 0 })], SALE)).toBe(0);
  });

  it('does not count a price that a preceding one replaces on each of its dates', () => {
    const winter = { from: '2027-01-01', to: '2027-01-31', priority: 1 };
    const low = dated({ from: '2027-01-10', to: '2027-01-20', amountCents: 5_000, listedAt: new Date('2026-02-01') });
    expect(lowestPrice([dated({}), dated({ ...winter, amountCents: 12_000 }), low], SALE)).toBe(10_000);
    const beyond = { ...low, to: '2027-02-01' };
    expect(lowestPrice([dated({}), dated({ ...winter, amountCents: 12_000 }), beyond], SALE)).toBe(5_000);
  });

  it('counts the first and the last service date, and none beyond', () => {
    const only = (day: string) => lowestPrice([dated({ from: day, to: day })], SALE);
    expect([-1, 0, DAYS - 1, DAYS].map((ahead) => only(daysAfter(TODAY, ahead)))).toEqual([null, 10_000, 10_000, null]);
  });

  it('is the lowest of the prices of each unit, option and date', () => {
    const random = randomNumbers(7);
    const found = new Set<number | null>();
    for (let turn = 0; turn < 300; turn += 1) {
      const prices = Array.from({ length: 1 + random(8) }, (_, n) => randomPrice(random, n));
      const lowest = lowestPrice(prices, SALE);
      found.add(lowest);
      expect(lowest).toBe(lowestOfEach(prices));
    }
    expect(found.size).toBeGreaterThan(50);
  });
});

function lowestOfEach(prices: readonly DatedPrice[]): number | null {
  const amounts = UNITS.flatMap((unitId) =>
    OPTIONS.flatMap((optionId) =>
      Array.from({ length: DAYS }, (_, ahead) => {
        const day = daysAfter(TODAY, ahead);
        const weekday = new Date(day).getUTCDay() || 7;
        const listed = prices.filter(
          (price) =>
            price.unitId === unitId &&
            [null, optionId].includes(price.optionId) &&
            [null, weekday].includes(price.weekday) &&
            (price.from ?? day) <= day &&
            day <= (price.to ?? day),
        );
        return unitPrice({ ...SALE, channelId: null }, { listed, departure: null }).price?.amountCents;
      }),
    ),
  ).filter((cents) => cents !== undefined);
  return amounts.length === 0 ? null : Math.min(...amounts);
}

function randomPrice(random: (below: number) => number, n: number): DatedPrice {
  const from = daysAfter(TODAY, random(60) - 10);
  const [unitId = 'adult', optionId = null] = [UNITS[random(2)], [null, ...OPTIONS][random(3)]];
  const to = daysAfter(from, random(30));
  const dates = [{ from, to }, { from }, { to }, {}][random(4)];
  const listedAt = new Date(Date.UTC(2026, 0, 1 + random(3)));
  const weekday = random(2) === 0 ? null : 1 + random(7);
  const amountCents = 100 * random(500);
  return dated({
    ...dates,
    unitId,
    optionId,
    weekday,
    amountCents,
    listedAt,
    priority: random(3),
    priceListId: `l${n}`,
  });
}

/** A linear congruential generator: whole numbers from 0, the same ones in each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
