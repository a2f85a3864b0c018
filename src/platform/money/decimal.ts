const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** A decimal number without loss: `digits` divided by 10 to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Takes a plain decimal text such as `0.925` apart. Throws RangeError on signs, exponents and anything else. */
export function parseDecimal(text: string): Decimal {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new RangeError('Not a plain decimal number');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}
