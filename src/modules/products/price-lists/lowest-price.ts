import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import { type ListedPrice, rankedPrices } from './unit-price.js';

/** A price in an active list with its unit and its service dates, both inclusive. */
export interface DatedPrice extends ListedPrice {
  unitId: string;
  from: string | null;
  to: string | null;
}

/** A sale, without a channel unless given. With options, one of `optionIds` is sold; `[null]` means that the product has none. */
interface AdvertisedSale {
  currency: string;
  today: string;
  /** Service dates, from today on. */
  days: number;
  optionIds: readonly (string | null)[];
  channelId?: string | null;
}

/** A set of service dates: bit n is the date n days from today. */
type ServiceDates = bigint;

/**
 * The lowest amount for which one of the units is sold on one of the days; null if none has a price. Each price takes those of
 * its dates that no preceding price has taken, so that the cost grows with the number of prices and not with that of the dates.
 */
export function lowestPrice(
  prices: readonly DatedPrice[],
  { currency, today, days, optionIds, channelId = null }: AdvertisedSale,
): number | null {
  const datesOf = serviceDates(today, days);
  const ranked = rankedPrices(prices, { currency, channelId, today }).map((price) => ({
    ...price,
    dates: datesOf(price),
  }));
  let lowest: number | null = null;
  for (const unitId of new Set(ranked.map((price) => price.unitId))) {
    const ofUnit = ranked.filter((price) => price.unitId === unitId);
    for (const optionId of optionIds) {
      const ofOption = ofUnit.filter((price) => price.optionId === null || price.optionId === optionId);
      let free = everyDate(days);
      for (const { dates, amountCents } of ofOption) {
        if ((dates & free) !== 0n && amountCents < (lowest ?? Infinity)) lowest = amountCents;
        free &= ~dates;
        if (free === 0n) break;
      }
    }
  }
  return lowest;
}

function everyDate(days: number): ServiceDates {
  return (1n << BigInt(days)) - 1n;
}

/** Returns a function that finds the dates of a price among the given number of days. */
function serviceDates(today: string, days: number): (price: DatedPrice) => ServiceDates {
  const last = daysAfter(today, days - 1);
  const ofWeekday = [0n, 0n, 0n, 0n, 0n, 0n, 0n];
  for (let ahead = 0; ahead < days; ahead += 1) {
    const weekday = new Date(daysAfter(today, ahead)).getUTCDay();
    ofWeekday[weekday] = (ofWeekday[weekday] ?? 0n) | (1n << BigInt(ahead));
  }
  return ({ from, to, weekday }) => {
    const [first, end] = [from !== null && from > today ? from : today, to !== null && to < last ? to : last];
    if (first > end) return 0n;
    const before = everyDate(daysBetween(today, first));
    const within = everyDate(daysBetween(today, end) + 1) & ~before;
    // Weekdays of prices are 1 to 7, from Monday to Sunday.
    return weekday === null ? within : within & (ofWeekday[weekday % 7] ?? 0n);
  };
}
