import { named } from '../../../platform/http/named-values.js';
import { type Issue, invalidRequest } from '../../../platform/errors/app-error.js';

export const RULE_TYPES = named('PolicyRuleType', ['window', 'percentage', 'flat_amount', 'date_range', 'custom']);
export type RuleType = (typeof RULE_TYPES)[number];

export const REFUND_TYPES = named('RefundType', ['cash', 'credit', 'cash_or_credit', 'none']);
export type RefundType = (typeof REFUND_TYPES)[number];

/** A rule of a version. Values that it does not use are null. */
export interface PolicyRule {
  position: number;
  type: RuleType;
  daysBeforeDeparture: number | null;
  refundBasisPoints: number | null;
  refundType: RefundType | null;
  /** Amount in the minor unit of `currency`. */
  flatAmountCents: number | null;
  currency: string | null;
  validFrom: string | null;
  validTo: string | null;
}

/** A rule as a client sends it. */
export type GivenRule = Pick<PolicyRule, 'type'> & { [K in keyof PolicyRule]?: PolicyRule[K] | undefined };

/** A rule of this type requires at least one of these values. */
const REQUIRED: Record<RuleType, readonly (keyof PolicyRule)[]> = {
  window: ['daysBeforeDeparture'],
  percentage: ['refundBasisPoints'],
  flat_amount: ['flatAmountCents'],
  date_range: ['validFrom', 'validTo'],
  custom: [],
};

/** Returns the rules with their defaults, sorted by position. Reports the path of each contradiction. */
export function completeRules(given: readonly GivenRule[]): PolicyRule[] {
  const rules = given.map(completeRule);
  const issues = rules.flatMap((rule, index) => issuesOf(rule).map((issue) => inRule(issue, index)));
  for (const [index, { position }] of rules.entries()) {
    if (rules.findIndex((other) => other.position === position) < index) {
      issues.push(inRule({ path: 'position', message: 'position must be unique', code: 'position_taken' }, index));
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

function issuesOf(rule: PolicyRule): Issue[] {
  const issues: Issue[] = [];
  const required = REQUIRED[rule.type];
  const [first] = required;
  if (first !== undefined && required.every((member) => rule[member] === null)) {
    const message = `A rule of type ${rule.type} requires ${required.join(' or ')}`;
    issues.push({ path: first, message, code: 'needed_by_type' });
  }
  if ((rule.flatAmountCents === null) !== (rule.currency === null)) {
    const path = rule.currency === null ? 'currency' : 'flatAmountCents';
    issues.push({ path, message: 'flatAmountCents and currency must be set together', code: 'amount_and_currency' });
  }
  if (rule.validFrom !== null && rule.validTo !== null && rule.validTo < rule.validFrom) {
    issues.push({ path: 'validTo', message: 'validTo must not be before validFrom', code: 'end_before_start' });
  }
  return issues;
}

function inRule({ path, ...issue }: Issue, index: number): Issue {
  return { path: `rules.${index}.${path}`, ...issue };
}
