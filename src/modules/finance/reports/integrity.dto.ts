import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';

const SUBJECTS = ['booking', 'booking_item', 'invoice', 'payment', 'payment_schedule', 'supplier_invoice'] as const;
type Subject = (typeof SUBJECTS)[number];

/** How many of those that break a rule are named. */
export const MAX_EXAMPLES = 20;

export class IntegrityQuery {
  /** Checks now instead of answering the last hour's report; on large books that may take longer than a request has (503).
   * @example true */
  @Optional()
  @QueryFlag()
  fresh?: boolean;
}

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
  /** When the check began; every hour unless asked for. */
  @Instant()
  checkedAt: string;

  /** Whether every rule holds: no money was made or lost. */
  @Flag()
  conserved: boolean;

  @ListOf(() => CheckedRule, { max: 50 })
  checks: CheckedRule[];
}

export class IntegrityEnvelope extends dataOf(Integrity) {}
