import { daysAfter } from '../../../platform/time/calendar.js';
import { type ListedPrice, unitPrice } from './unit-price.js';

/** A price in an active list with its unit and its service dates, both inclusive. */
export interface DatedPrice extends ListedPrice {
  unitId: string;
  from: string | null;
  to: string | null;
}

/** A sale without a channel. With options, one of `optionIds` is sold; `[null]` means that the product has none. */
interface AdvertisedSale {
  currency: string;
  today: string;
  /** Service dates, from today on. */
  days: number;
  optionIds: readonly (string | null)[];
}

/** The lowest amount for which one of the units is sold on one of the days; null if none has a price. */
export function lowestPrice(
  prices: readonly DatedPrice[],
  { currency, today, days, optionIds }: AdvertisedSale,
): number | null {
  const inCurrency = prices.filter((price) => price.currency === currency);
  const unitIds = new Set(inCurrency.map(({ unitId }) => unitId));
  let lowest: number | null = null;
  for (const unitId of unitIds) {
    for (const optionId of optionIds) {
      const candidates = inCurrency.filter(
        (price) => price.unitId === unitId && (price.optionId === null || price.optionId === optionId),
      );
      for (let ahead = 0; ahead < days && candidates.length > 0; ahead += 1) {
        const day = daysAfter(today, ahead);
        const listed = candidates.filter((price) => isFor(price, day));
        const { price } = unitPrice({ currency, channelId: null, today }, { listed, departure: null });
        if (price && (lowest === null || price.amountCents < lowest)) lowest = price.amountCents;
      }
    }
  }
  return lowest;
}

function isFor({ from, to, weekday }: DatedPrice, day: string): boolean {
  return (from ?? day) <= day && (to ?? day) >= day && (weekday === null || weekday === weekdayOf(day));
}

/** From Monday 1 to Sunday 7. */
function weekdayOf(day: string): number {
  return new Date(day).getUTCDay() || 7;
}
