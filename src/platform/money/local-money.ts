import { minorUnits } from './money.js';

/** Returns an amount in minor units as people of a language write it: `1.234,50 €` in German. */
export function localMoney({ cents, currency }: { cents: number; currency: string }, language: string): string {
  const digits = minorUnits(currency);
  const format = new Intl.NumberFormat(language, {
    ...{ style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
  return format.format(cents / 10 ** digits);
}
