import { named } from '../../../platform/http/named-values.js';
import { type AppError, invalidRequest, unprocessable } from '../../../platform/errors/app-error.js';
import { divideRounded } from '../../../platform/money/money.js';

export const COMMISSION_MODELS = named('CommissionModel', ['percentage', 'fixed', 'markup', 'net']);
export type CommissionModel = (typeof COMMISSION_MODELS)[number];

/** The amounts to which a percentage can apply. */
export const COMMISSION_BASES = named('CommissionBasis', ['net_sell', 'gross_sell', 'margin']);
export type CommissionBasis = (typeof COMMISSION_BASES)[number];

/** The model and inputs of a commission; the inputs of other models are null. */
export interface CommissionTerms {
  commissionModel: CommissionModel;
  basis: CommissionBasis | null;
  rateBasisPoints: number | null;
  fixedCents: number | null;
  /** The fixed amount applies to each unit of the item. */
  perUnit: boolean;
  netRateCents: number | null;
}

/** The item from which a commission is computed; amounts are in minor units for the whole quantity. */
export interface Sale {
  currency: string;
  quantity: number;
  totalSellCents: number;
  taxIncludedCents: number;
  costCents: number | null;
  costCurrency: string | null;
}

/** Returns the sale without the waived part of its price, which earns no commission. */
export function withoutWaived<T extends Sale>(sale: T, waivedCents: number): T {
  if (waivedCents === 0) return sale;
  const { totalSellCents, taxIncludedCents } = sale;
  const waivedTaxCents = Number(divideRounded(BigInt(taxIncludedCents) * BigInt(waivedCents), BigInt(totalSellCents)));
  return {
    ...sale,
    totalSellCents: totalSellCents - waivedCents,
    taxIncludedCents: taxIncludedCents - waivedTaxCents,
  };
}

/** The terms of a request. */
export interface GivenTerms {
  commissionModel?: CommissionModel | undefined;
  basis?: CommissionBasis | undefined;
  rateBasisPoints?: number | undefined;
  amountCents?: number | undefined;
  perUnit?: boolean | undefined;
  netRateCents?: number | undefined;
}

type Input = Exclude<keyof GivenTerms, 'commissionModel'>;

const REQUIRED: Record<CommissionModel, readonly Input[]> = {
  percentage: ['rateBasisPoints'],
  fixed: ['amountCents'],
  markup: ['rateBasisPoints'],
  net: ['netRateCents'],
};
const ALLOWED: Record<CommissionModel, readonly Input[]> = {
  percentage: ['basis', 'rateBasisPoints'],
  fixed: ['amountCents', 'perUnit'],
  markup: ['rateBasisPoints'],
  net: ['netRateCents'],
};
const INPUTS: readonly Input[] = ['basis', 'rateBasisPoints', 'amountCents', 'perUnit', 'netRateCents'];

const WHOLE_BASIS_POINTS = 10_000n;

/** Returns the terms with their defaults. The inputs must fit the model. */
export function completeTerms(given: GivenTerms): CommissionTerms {
  const { commissionModel = 'percentage', basis, rateBasisPoints, amountCents, perUnit, netRateCents } = given;
  const missing = REQUIRED[commissionModel].filter((input) => given[input] === undefined);
  const foreign = INPUTS.filter((input) => given[input] !== undefined && !ALLOWED[commissionModel].includes(input));
  if (missing.length > 0 || foreign.length > 0) {
    throw invalidRequest([
      ...missing.map((path) => ({
        path,
        message: `${path} is required for model ${commissionModel}`,
        code: 'required_by_model' as const,
      })),
      ...foreign.map((path) => ({
        path,
        message: `${path} is not allowed for model ${commissionModel}`,
        code: 'not_of_model' as const,
      })),
    ]);
  }
  return {
    commissionModel,
    basis: commissionModel === 'percentage' ? (basis ?? 'net_sell') : null,
    rateBasisPoints: rateBasisPoints ?? null,
    fixedCents: amountCents ?? null,
    perUnit: perUnit ?? false,
    netRateCents: netRateCents ?? null,
  };
}

/** Returns the terms after a change; null if it changes none of them. Another model keeps no input of the current one. */
export function changedTerms(present: CommissionTerms, given: GivenTerms): CommissionTerms | null {
  if (Object.values(given).every((value) => value === undefined)) return null;
  const { commissionModel = present.commissionModel } = given;
  const kept = commissionModel === present.commissionModel ? inputsOf(present) : {};
  return completeTerms({
    commissionModel,
    basis: given.basis ?? kept.basis,
    rateBasisPoints: given.rateBasisPoints ?? kept.rateBasisPoints,
    amountCents: given.amountCents ?? kept.amountCents,
    perUnit: given.perUnit ?? kept.perUnit,
    netRateCents: given.netRateCents ?? kept.netRateCents,
  });
}

function inputsOf({ basis, rateBasisPoints, fixedCents, perUnit, netRateCents }: CommissionTerms): GivenTerms {
  return {
    basis: basis ?? undefined,
    rateBasisPoints: rateBasisPoints ?? undefined,
    amountCents: fixedCents ?? undefined,
    perUnit: perUnit || undefined,
    netRateCents: netRateCents ?? undefined,
  };
}

/** Computes the commission of the sale, rounded half up once, and its base. */
export function computeCommission(terms: CommissionTerms, sale: Sale): { baseCents: number; amountCents: number } {
  const base = baseOf(terms, sale);
  const amount = amountOf(terms, sale, base);
  if (base < 0n || amount > BigInt(Number.MAX_SAFE_INTEGER)) throw exceedsBase(sale, amount);
  return { baseCents: Number(base), amountCents: Number(amount) };
}

/** Returns whether the inputs of the commission are known: the margin needs the cost in the currency of the sale. */
export function isComputable(
  { commissionModel, basis }: CommissionTerms,
  { costCents, costCurrency, currency }: Sale,
): boolean {
  const needsMargin = commissionModel === 'markup' || basis === 'margin';
  return !needsMargin || (costCents !== null && costCurrency === currency);
}

export function exceedsBase({ totalSellCents }: Pick<Sale, 'totalSellCents'>, commissionCents: bigint): AppError {
  return unprocessable('commission_exceeds_base', 'Total commissions would exceed the price of the booking item', {
    field: 'amountCents',
    totalSellCents,
    commissionCents: Number(commissionCents),
  });
}

function baseOf({ commissionModel, basis, fixedCents }: CommissionTerms, sale: Sale): bigint {
  const { totalSellCents, taxIncludedCents } = sale;
  switch (commissionModel) {
    case 'percentage':
      if (basis === 'margin') return marginOf(sale);
      return BigInt(totalSellCents) - (basis === 'net_sell' ? BigInt(taxIncludedCents) : 0n);
    case 'markup':
      return marginOf(sale);
    case 'fixed':
      return BigInt(fixedCents ?? 0);
    case 'net':
      return BigInt(totalSellCents);
  }
}

function amountOf(terms: CommissionTerms, { quantity, totalSellCents }: Sale, base: bigint): bigint {
  switch (terms.commissionModel) {
    case 'percentage':
    case 'markup':
      return divideRounded(base * BigInt(terms.rateBasisPoints ?? 0), WHOLE_BASIS_POINTS);
    case 'fixed':
      return base * (terms.perUnit ? BigInt(quantity) : 1n);
    case 'net':
      return atLeastZero(BigInt(totalSellCents) - BigInt(terms.netRateCents ?? 0));
  }
}

function marginOf({ totalSellCents, costCents, costCurrency, currency }: Sale): bigint {
  if (costCents === null || costCurrency !== currency) {
    throw unprocessable('cost_unknown', 'The cost of the item is unknown in the booking currency', {
      field: 'commissionModel',
      currency,
      costCurrency,
    });
  }
  return atLeastZero(BigInt(totalSellCents) - BigInt(costCents));
}

function atLeastZero(cents: bigint): bigint {
  return cents < 0n ? 0n : cents;
}
