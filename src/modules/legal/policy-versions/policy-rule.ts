import { named } from '../../../platform/http/named-values.js';
import { type Issue, invalidRequest } from '../../../platform/errors/app-error.js';

export const RULE_TYPES = named('PolicyRuleType', ['window', 'percentage', 'flat_amount', 'date_range', 'custom']);
export type RuleType = (typeof RULE_TYPES)[number];

export const REFUND_TYPES = named('RefundType', ['cash', 'credit', 'cash_or_credit', 'none']);
export type RefundType = (typeof REFUND_TYPES)[number];

/** One rule of a version. What it does not speak of is null. */
export interface PolicyRule {
  position: number;
  type: RuleType;
  daysBeforeDeparture: number | null;
  refundBasisPoints: number | null;
  refundType: RefundType | null;
  /** In the minor unit of `currency`. */
  flatAmountCents: number | null;
  currency: string | null;
  validFrom: string | null;
  validTo: string | null;
}

/** A rule as somebody sends it. */
export type GivenRule = Pick<PolicyRule, 'type'> & { [K in keyof PolicyRule]?: PolicyRule[K] | undefined };

/** What a rule of this type could not be applied without. */
const NEEDED: Record<RuleType, readonly (keyof PolicyRule)[]> = {
  window: ['daysBeforeDeparture'],
  percentage: ['refundBasisPoints'],
  flat_amount: ['flatAmountCents'],
  date_range: ['validFrom', 'validTo'],
  custom: [],
};

/** The rules with their defaults, in their order. Throws 400 with the place of what contradicts itself. */
export function completeRules(given: readonly GivenRule[]): PolicyRule[] {
  const rules = given.map(completeRule);
  const issues = rules.flatMap((rule, index) => faultsOf(rule).map((fault) => placed(fault, index)));
  for (const [index, { position }] of rules.entries()) {
    if (rules.findIndex((other) => other.position === position) < index) {
      issues.push(placed({ path: 'position', message: 'position must be unique', code: 'unique' }, index));
    }
  }
  if (issues.length > 0) throw invalidRequest(issues);
  return rules.sort((a, b) => a.position - b.position);
}

function completeRule(given: GivenRule, index: number): PolicyRule {
  return {
    position: given.position ?? index,
    type: given.type,
    daysBeforeDeparture: given.daysBeforeDeparture ?? null,
    refundBasisPoints: given.refundBasisPoints ?? null,
    refundType: given.refundType ?? null,
    flatAmountCents: given.flatAmountCents ?? null,
    currency: given.currency ?? null,
    validFrom: given.validFrom ?? null,
    validTo: given.validTo ?? null,
  };
}

function faultsOf(rule: PolicyRule): Issue[] {
  const faults: Issue[] = [];
  const needed = NEEDED[rule.type];
  const [first] = needed;
  if (first !== undefined && needed.every((member) => rule[member] === null)) {
    const message = `A rule of type ${rule.type} needs ${needed.join(' or ')}`;
    faults.push({ path: first, message, code: 'needed_by_type' });
  }
  if ((rule.flatAmountCents === null) !== (rule.currency === null)) {
    const path = rule.currency === null ? 'currency' : 'flatAmountCents';
    faults.push({ path, message: 'flatAmountCents and currency must be set together', code: 'amount_and_currency' });
  }
  if (rule.validFrom !== null && rule.validTo !== null && rule.validTo < rule.validFrom) {
    faults.push({ path: 'validTo', message: 'validTo must not be before validFrom', code: 'end_before_start' });
  }
  return faults;
}

function placed({ path, ...fault }: Issue, index: number): Issue {
  return { path: `rules.${index}.${path}`, ...fault };
}
