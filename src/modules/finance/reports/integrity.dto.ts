import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';

const SUBJECTS = [
  'accounting_period',
  'booking',
  'booking_item',
  'commission',
  'credit_note',
  'departure',
  'invoice',
  'invoice_number_series',
  'payment',
  'payment_schedule',
  'proforma',
  'supplier_invoice',
] as const;
type Subject = (typeof SUBJECTS)[number];

/** Maximum number of violations listed per check. */
export const MAX_EXAMPLES = 20;

/** A resource whose stored value differs from the computed one. */
export class BrokenSubject {
  /** Kind of the resource. */
  @OneOf(SUBJECTS)
  subjectType: Subject;

  /** TypeID of the resource. */
  @Text({ max: 100 })
  subjectId: string;

  /**
   * Computed amount in minor units, as text because a wrong amount may exceed every bound. Rules about numbers, dates and units
   * have the number, the day as YYYYMMDD, or the units instead.
   */
  @Text({ max: 50 })
  expectedCents: string;

  /** Stored amount, number, day or units, as text. */
  @Text({ max: 50 })
  actualCents: string;
}

/** One accounting check and its result. */
export class CheckedRule {
  /** Stable identifier of the check. */
  @Text({ max: 100 })
  name: string;

  /** Description of the rule that must be satisfied. */
  @Text({ max: 200 })
  rule: string;

  /** Number of resources that violate the rule. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  violations: number;

  /** The first violations by ID, at most 20. */
  @ListOf(() => BrokenSubject, { max: MAX_EXAMPLES })
  examples: BrokenSubject[];
}

/** Result of all accounting checks. */
export class Integrity {
  /** Start of the checks: now, or within the last hour if there is too much data for a request. */
  @Instant()
  checkedAt: string;

  /** True if every check has no violations. */
  @Flag()
  conserved: boolean;

  /** All checks, with and without violations. */
  @ListOf(() => CheckedRule, { max: 50 })
  checks: CheckedRule[];
}

export class IntegrityEnvelope extends dataOf(Integrity) {}
