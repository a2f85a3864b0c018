/**
 * Shares a tax among installments. Each part is rounded down; the missing units go one each to the parts that lost most by
 * rounding, the later one first among equals. The parts add up to the tax. `amounts` are in the plan's order and above 0,
 * including those of waived installments; a tax above their sum is reduced to it.
 */
export function shareTax(taxCents: number, amounts: readonly number[]): number[] {
  const total = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
  if (total === 0n) return amounts.map(() => 0);
  const tax = BigInt(taxCents) < total ? BigInt(taxCents) : total;

  const parts = amounts.map((amount, index) => {
    const product = tax * BigInt(amount);
    return { index, share: product / total, rest: product % total };
  });
  const missing = Number(tax - parts.reduce((sum, { share }) => sum + share, 0n));
  const byRest = [...parts].sort((a, b) => (a.rest === b.rest ? b.index - a.index : a.rest < b.rest ? 1 : -1));
  for (const part of byRest.slice(0, missing)) part.share += 1n;
  return parts.map(({ share }) => Number(share));
}
