/** Gross and tax of one tax code of a booking, or of its items without a code (`given`). */
export interface Group {
  gross: number;
  tax: number;
}

export type Groups = ReadonlyMap<string, Group>;

export const GIVEN = 'given';

/** Half away from zero. Amounts of the model stay far below 2^53. */
export function rounded(numerator: number, denominator: number): number {
  const size = Math.floor((2 * Math.abs(numerator) + denominator) / (2 * denominator));
  return numerator < 0 ? -size : size;
}

/** The tax included in a price: round(total x bp / (10000 + bp)). */
export function includedTax(total: number, basisPoints: number): number {
  return rounded(total * basisPoints, 10_000 + basisPoints);
}

/** Shares of an amount in proportion to parts; missing units go to the largest remainders, ties to the later part. */
function split(parts: readonly number[], amount: number): number[] {
  const whole = sum(parts);
  if (whole === 0) return parts.map(() => 0);
  const shares = parts.map((part) => Math.floor((part * amount) / whole));
  const rest = (index: number) => ((parts[index] ?? 0) * amount) % whole;
  const order = parts.map((_, index) => index).sort((a, b) => rest(b) - rest(a) || b - a);
  for (const index of order.slice(0, amount - sum(shares))) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}

/** Sorts by code, with `given` last. */
export function sorted(groups: Groups): [string, Group][] {
  return [...groups].sort(([a], [b]) => Number(a === GIVEN) - Number(b === GIVEN) || (a < b ? -1 : 1));
}

/** Adds up amounts by code. */
export function grouped(amounts: Iterable<readonly [code: string, gross: number, tax: number]>): Groups {
  const groups = new Map<string, Group>();
  for (const [code, gross, tax] of amounts) {
    const group = groups.get(code) ?? { gross: 0, tax: 0 };
    groups.set(code, { gross: group.gross + gross, tax: group.tax + tax });
  }
  return groups;
}

/** Amounts of items at one rate of a tax code; the rate is null for `given`. */
export interface Rated extends Group {
  code: string;
  basisPoints: number | null;
}

/**
 * Computes the owed groups: the groups of the items, less the part of each in the waived amount, which has the tax of the rates
 * that it reduces.
 */
export function lessWaived(items: readonly Rated[], waived: number): Groups {
  const list = sorted(grouped(items.map(({ code, gross, tax }) => [code, gross, tax])));
  const parts = split(
    list.map(([, { gross }]) => Math.max(0, gross)),
    waived,
  );
  return grouped(
    list.map(([code, { gross, tax }], index) => {
      const part = parts[index] ?? 0;
      const own = items.filter((item) => item.code === code);
      return [code, gross - part, tax - waivedTax(own, part)] as const;
    }),
  );
}

/** Computes the same owed amounts at each rate of the tax codes. */
export function waivedAtRates(items: readonly Rated[], waived: number): Groups {
  const list = sorted(grouped(items.map(({ code, gross, tax }) => [code, gross, tax])));
  const parts = split(
    list.map(([, { gross }]) => Math.max(0, gross)),
    waived,
  );
  const rated = items.map(({ code, basisPoints, gross, tax }) => [`${code} ${basisPoints}`, gross, tax] as const);
  const reductions = list.flatMap(([code], index) =>
    waivedParts(
      items.filter((item) => item.code === code),
      parts[index] ?? 0,
    ).map(({ basisPoints, gross, tax }) => [`${code} ${basisPoints}`, -gross, -tax] as const),
  );
  return grouped([...rated, ...reductions]);
}

/** The tax in a waived part of a tax code: the part reduces each rate in proportion, unless only discounts have the rate. */
function waivedTax(items: readonly Rated[], waived: number): number {
  return sum(waivedParts(items, waived).map(({ tax }) => tax));
}

/** The waived part of a tax code at each rate. */
function waivedParts(items: readonly Rated[], waived: number): (Group & { basisPoints: string })[] {
  const rates = grouped(items.map(({ basisPoints, gross, tax }) => [String(basisPoints), gross, tax]));
  const positive = [...rates].filter(([, { gross }]) => gross > 0).sort(([a], [b]) => Number(a) - Number(b));
  const whole = sum(positive.map(([, { gross }]) => gross));
  let [passed, taken] = [0, 0];
  return positive.map(([basisPoints, { gross, tax }]) => {
    passed += gross;
    const part = rounded(waived * passed, whole) - taken;
    taken += part;
    return { basisPoints, gross: part, tax: rounded(tax * part, gross) };
  });
}

/** Computes the owed and unbilled amounts: R and S of the reference. */
export function restsOf(owed: Groups, billed: Groups): Groups {
  const negative = sorted(billed).map(([code, { gross, tax }]) => [code, -gross, -tax] as const);
  return grouped([...sorted(owed).map(([code, { gross, tax }]) => [code, gross, tax] as const), ...negative]);
}

/** Returns whether a group was billed wrongly, so that it must be credited before anything else is billed. */
export function isWrong({ gross, tax }: Group): boolean {
  return gross < 0 || tax < 0 || tax > gross;
}

/** Computes the amount of each group on an invoice for this amount. */
export function allocated(rests: Groups, amount: number): [string, Group][] {
  const list = sorted(rests);
  const shares = split(
    list.map(([, { gross }]) => gross),
    amount,
  );
  return list
    .map(([code, rest], index): [string, Group] => {
      const gross = shares[index] ?? 0;
      return [code, { gross, tax: gross === rest.gross ? rest.tax : rounded(rest.tax * gross, rest.gross) }];
    })
    .filter(([, { gross, tax }]) => gross !== 0 || tax !== 0);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
