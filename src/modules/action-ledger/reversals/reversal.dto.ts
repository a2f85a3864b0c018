import type { AppError } from '../../../platform/errors/app-error.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, Nested, Nullable, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { FreeObject } from '../../../platform/http/trade-fields.js';
import type { DryRunResult } from './ledger-reversals.service.js';
import { REVERSAL_OUTCOMES, type ReversalOutcome } from '../entries/reversal-handlers.js';

/** The reason for a reversal. */
export class ReverseEntry {
  /**
   * Reason, stored in the entry of the reversal.
   * @example "Entered twice"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;

  /**
   * If true, only records a response to an action that cannot be reversed, and changes nothing else. False by default.
   * @example false
   */
  @Optional()
  @Flag()
  recordOnly?: boolean;
}

/** The error with which a reversal would be rejected. */
export class ReversalRefusal {
  /** Error code: `already_reversed`, `not_reversible` or `reversal_conflict`. */
  @Text({ max: 100 })
  code: string;

  /** Explanation in English. */
  @Text({ max: 2000 })
  message: string;

  /** Further details. For a conflict, `reason` is the error code of the cause. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  details: Record<string, unknown>;
}

/** The effect that a reversal would have now. */
export class ReversalPreview {
  /** The entry that would be reversed. */
  @Id('aled')
  entryId: string;

  /** Whether the reversal would succeed now. */
  @Flag()
  possible: boolean;

  /** The error that would reject it; null if it would succeed. */
  @Nullable()
  @Nested(() => ReversalRefusal)
  refusal: ReversalRefusal | null;

  /**
   * `full`, or `partial` if some effects remain. Null if it would be rejected, or if external systems must be informed
   * first.
   */
  @OneOf(REVERSAL_OUTCOMES)
  outcome: ReversalOutcome | null;

  /** Present state of the resource; null if the reversal would be rejected. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  before: object | null;

  /** State of the resource after the reversal; null if it would be rejected. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  after: object | null;
}

export class ReversalPreviewEnvelope extends dataOf(ReversalPreview) {}

export function toPreview(entryId: string, { result, error }: DryRunResult): ReversalPreview {
  const { outcome = 'full', isRunning = false, before = null, after = null } = result ?? {};
  return {
    entryId,
    possible: error === null,
    refusal: error && toRefusal(error),
    outcome: error || isRunning ? null : outcome,
    before,
    after,
  };
}

function toRefusal({ code, message, details = {} }: AppError): ReversalRefusal {
  return { code, message, details };
}
