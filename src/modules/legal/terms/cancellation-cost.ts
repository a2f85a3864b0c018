import { named } from '../../../platform/http/named-values.js';
import { divideRounded } from '../../../platform/money/money.js';
import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import type { PolicyRule, RefundType } from '../policy-versions/policy-rule.js';

/** The party that ended the sale. Customers owe a fee only if they cancelled. */
export const CANCELLATION_INITIATORS = named('CancellationInitiator', ['customer', 'operator', 'force_majeure']);
export type CancellationInitiator = (typeof CANCELLATION_INITIATORS)[number];

/** The form in which the customer is refunded the amount beyond the fee. */
export const CANCELLATION_OUTCOMES = named('CancellationOutcome', ['refund', 'credit']);
type CancellationOutcome = (typeof CANCELLATION_OUTCOMES)[number];

/** A cancelled part of a sale; the amount is its selling price, negative for a discount. */
interface CancelledItem {
  /** Null if it belongs to no product. */
  productId: string | null;
  totalCents: number;
  /** If false, the organization keeps the whole amount, and the rules have no effect. */
  refundable: boolean;
}

export interface CancelledSale {
  currency: string;
  cancelledOn: string;
  /** Null if the sale has no date yet. */
  departureDate: string | null;
  initiator: CancellationInitiator;
  items: readonly CancelledItem[];
}

/**
 * A version under which a sale was made, with the products to which it applies; null means all products that no other version
 * names.
 */
export interface CancellationPolicy {
  policyVersionId: string;
  productIds: readonly string[] | null;
  rules: readonly PolicyRule[];
}

/** The fee for the items to which one version applies. */
interface CancellationLine {
  /** Null for items to which no version applies. */
  policyVersionId: string | null;
  /** The rule that decided; null if none matched. */
  rulePosition: number | null;
  /** Calendar days before the departure, negative after it; null if the sale has no date. */
  daysBefore: number | null;
  /** The amount to which the rule is applied: the refundable items. */
  baseCents: number;
  refundBasisPoints: number | null;
  /** The fee including the items that are not refundable; null if staff must decide. */
  feeCents: number | null;
  refundType: RefundType | null;
}

export interface CancellationCost {
  lines: CancellationLine[];
  /** The sum of the lines, between 0 and the price; null if staff must decide. */
  feeCents: number | null;
  outcome: CancellationOutcome;
  warnings: 'no_cancellation_terms'[];
}

type Judgement = Pick<CancellationLine, 'rulePosition' | 'refundBasisPoints' | 'feeCents' | 'refundType'>;

const ALL_BASIS_POINTS = 10_000n;

/**
 * Computes the cost of cancelling a sale under the versions in force when it was made. Rounds the refund half up, once per
 * line.
 */
export function cancellationCost(policies: readonly CancellationPolicy[], sale: CancelledSale): CancellationCost {
  const { items, initiator } = sale;
  const owner = ({ productId }: CancelledItem) =>
    policies.find(({ productIds }) => productId !== null && productIds?.includes(productId)) ??
    policies.find(({ productIds }) => productIds === null);
  const lines = [...policies, undefined].flatMap((policy) => {
    const own = items.filter((item) => owner(item) === policy);
    return own.length === 0 ? [] : [lineOf(policy, own, sale)];
  });
  const isUncovered = lines.some(({ policyVersionId }) => policyVersionId === null);
  return {
    lines,
    feeCents: totalFee(lines, sumOf(items)),
    outcome: outcomeOf(lines),
    warnings: initiator === 'customer' && isUncovered ? ['no_cancellation_terms'] : [],
  };
}

/** Nothing is ever refunded. */
const MAX_DAYS = 3650;

/**
 * The fewest days before the departure on which a cancellation by the customer is still refunded in part; 0 without terms, and
 * 3650 if nothing is ever refunded.
 */
export function lastRefundDays(
  policies: readonly CancellationPolicy[],
  { productId, today }: { productId: string; today: string },
): number {
  const days = policies.flatMap(({ rules }) => rules.flatMap(({ daysBeforeDeparture }) => daysBeforeDeparture ?? []));
  const totalCents = 1_000_000;
  for (const cancelledBefore of [0, ...days.toSorted((a, b) => a - b)]) {
    const { feeCents } = cancellationCost(policies, {
      ...{ currency: '', initiator: 'customer', cancelledOn: today, departureDate: daysAfter(today, cancelledBefore) },
      items: [{ productId, totalCents, refundable: true }],
    });
    // Staff decide about a flat fee in some currency, so something may be refunded.
    if (feeCents === null || feeCents < totalCents) return Math.min(cancelledBefore, MAX_DAYS);
  }
  return MAX_DAYS;
}

function lineOf(
  policy: CancellationPolicy | undefined,
  items: readonly CancelledItem[],
  sale: CancelledSale,
): CancellationLine {
  const baseCents = sumOf(items.filter(({ refundable }) => refundable));
  const keptCents = sumOf(items.filter(({ refundable }) => !refundable));
  const daysBefore = sale.departureDate === null ? null : daysBetween(sale.cancelledOn, sale.departureDate);
  const line = { policyVersionId: policy?.policyVersionId ?? null, daysBefore, baseCents };
  if (sale.initiator !== 'customer') return { ...line, ...byRule(null, 0) };
  if (!policy) return { ...line, ...byRule(null, keptCents) };
  const { feeCents, ...judgement } = judge(policy.rules, { ...sale, daysBefore, baseCents });
  return { ...line, ...judgement, feeCents: feeCents === null ? null : feeCents + keptCents };
}

interface Case {
  currency: string;
  departureDate: string | null;
  daysBefore: number | null;
  baseCents: number;
}

/** The fee is the whole base if no rule matches, and after the departure. */
function judge(rules: readonly PolicyRule[], { departureDate, daysBefore, ...sale }: Case): Judgement {
  if (departureDate === null || daysBefore === null) {
    // The applicable rule depends on a day that is not known yet.
    if (rules.some(dependsOnDeparture)) return byRule(null, null);
  } else if (daysBefore < 0) {
    return byRule(null, sale.baseCents);
  }
  const [rule] = rules
    .filter(({ validFrom, validTo }) => isWithin(departureDate, validFrom, validTo))
    .filter(({ daysBeforeDeparture }) => daysBeforeDeparture === null || daysBeforeDeparture <= (daysBefore ?? 0))
    .sort(byPrecedence);
  return rule ? byRule(rule, feeOf(rule, sale)) : byRule(null, sale.baseCents);
}

function feeOf(rule: PolicyRule, { currency, baseCents }: Pick<Case, 'currency' | 'baseCents'>): number | null {
  const { refundBasisPoints, flatAmountCents } = rule;
  if (rule.type === 'custom') return null;
  if (flatAmountCents !== null && rule.currency !== currency) return null;
  if (refundBasisPoints === null && flatAmountCents === null) return rule.refundType === 'none' ? baseCents : null;
  const refund = divideRounded(BigInt(baseCents) * BigInt(refundBasisPoints ?? 10_000), ALL_BASIS_POINTS);
  const percentage = baseCents - Number(refund);
  return flatAmountCents === null ? percentage : Math.min(baseCents, Math.max(percentage, flatAmountCents));
}

function byRule(rule: PolicyRule | null, feeCents: number | null): Judgement {
  const { position: rulePosition = null, refundBasisPoints = null, refundType = null } = rule ?? {};
  return { rulePosition, refundBasisPoints, refundType, feeCents };
}

/** Sorts by number of days, the largest first and rules without one last, then by position. */
function byPrecedence(one: PolicyRule, other: PolicyRule): number {
  const days = (other.daysBeforeDeparture ?? -1) - (one.daysBeforeDeparture ?? -1);
  return days === 0 ? one.position - other.position : days;
}

function dependsOnDeparture({ daysBeforeDeparture, validFrom, validTo }: PolicyRule): boolean {
  return daysBeforeDeparture !== null || validFrom !== null || validTo !== null;
}

function isWithin(day: string | null, from: string | null, to: string | null): boolean {
  return day === null || ((from === null || from <= day) && (to === null || day <= to));
}

function totalFee(lines: readonly CancellationLine[], totalCents: number): number | null {
  let fee = 0;
  for (const { feeCents } of lines) {
    if (feeCents === null) return null;
    fee += feeCents;
  }
  return Math.min(Math.max(0, fee), Math.max(0, totalCents));
}

/** Returns a credit only if every line with a refund says so. */
function outcomeOf(lines: readonly CancellationLine[]): CancellationOutcome {
  const refunding = lines.filter(({ baseCents, feeCents }) => feeCents === null || feeCents < baseCents);
  return refunding.length > 0 && refunding.every(({ refundType }) => refundType === 'credit') ? 'credit' : 'refund';
}

function sumOf(items: readonly CancelledItem[]): number {
  return items.reduce((sum, { totalCents }) => sum + totalCents, 0);
}
