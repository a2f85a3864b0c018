import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';

const SUBJECTS = ['booking', 'booking_item', 'invoice', 'payment', 'payment_schedule', 'supplier_invoice'] as const;
type Subject = (typeof SUBJECTS)[number];

/** How many of those that break a rule are named. */
export const MAX_EXAMPLES = 20;

export class BrokenSubject {
  @OneOf(SUBJECTS)
  subjectType: Subject;

  @Text({ max: 100 })
  subjectId: string;

  /** The amount that should be there in minor units, as text: what is broken may be beyond all bounds. */
  @Text({ max: 50 })
  expectedCents: string;

  @Text({ max: 50 })
  actualCents: string;
}

export class CheckedRule {
  @Text({ max: 100 })
  name: string;

  /** What must hold. */
  @Text({ max: 200 })
  rule: string;

  /** Of how many it does not. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  violations: number;

  /** The first of them by id. */
  @ListOf(() => BrokenSubject, { max: MAX_EXAMPLES })
  examples: BrokenSubject[];
}

export class Integrity {
  /** When the check began: now, or within the last hour where the books are too large to be read by a request. */
  @Instant()
  checkedAt: string;

  /** Whether every rule holds: no money was made or lost. */
  @Flag()
  conserved: boolean;

  @ListOf(() => CheckedRule, { max: 50 })
  checks: CheckedRule[];
}

export class IntegrityEnvelope extends dataOf(Integrity) {}
