import { divideRounded } from '../../../platform/money/money.js';
import type { TaxKind } from './tax-kinds.js';

/** The tax included in an amount, rounded once. A sale under the margin scheme shows none. */
export function includedTax(
  grossCents: number,
  { taxKind, taxRateBasisPoints }: { taxKind: TaxKind; taxRateBasisPoints: number },
): number {
  if (taxKind === 'margin_scheme') return 0;
  const rate = BigInt(taxRateBasisPoints);
  return Number(divideRounded(BigInt(grossCents) * rate, 10_000n + rate));
}
