import type { AppError } from '../../../platform/errors/app-error.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, Nested, Nullable, OneOf, Text } from '../../../platform/http/fields.js';
import { FreeObject } from '../../../platform/http/trade-fields.js';
import type { Rehearsed } from './ledger-reversals.service.js';
import { REVERSAL_OUTCOMES, type ReversalOutcome } from './reversals.js';

export class ReverseEntry {
  /** Why; it stands in the reversal's entry.
   * @example "Entered twice" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

/** What the reversal would be refused with. */
export class ReversalRefusal {
  /** `already_reversed`, `not_reversible` or `reversal_conflict`. */
  @Text({ max: 100 })
  code: string;

  @Text({ max: 2000 })
  message: string;

  /** Of a conflict, `reason` names what blocks it. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  details: Record<string, unknown>;
}

export class ReversalPreview {
  @Id('aled')
  entryId: string;

  /** Whether the reversal would succeed now. */
  @Flag()
  possible: boolean;

  @Nullable()
  @Nested(() => ReversalRefusal)
  refusal: ReversalRefusal | null;

  /** `partial`: something of it stays; null where it is refused, or where somebody outside has to be told first. */
  @OneOf(REVERSAL_OUTCOMES)
  outcome: ReversalOutcome | null;

  /** The subject as it is; null where it is refused. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  before: object | null;

  /** The subject as it would be; null where it is refused. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  after: object | null;
}

export class ReversalPreviewEnvelope extends dataOf(ReversalPreview) {}

export function toPreview(entryId: string, { undone, refusal }: Rehearsed): ReversalPreview {
  const { outcome = 'full', isRunning = false, before = null, after = null } = undone ?? {};
  return {
    entryId,
    possible: refusal === null,
    refusal: refusal && toRefusal(refusal),
    outcome: refusal || isRunning ? null : outcome,
    before,
    after,
  };
}

function toRefusal({ code, message, details = {} }: AppError): ReversalRefusal {
  return { code, message, details };
}
