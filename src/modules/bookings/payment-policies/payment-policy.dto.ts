import { Cents, Clearable, Flag, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { STEP_ANCHORS, STEP_TYPES, type StepAnchor, type StepType } from './payment-policy.js';

/** Exactly one of `percentBasisPoints`, `fixedCents` and `remainder` says how much the step takes. */
export class PolicyStepBody {
  /** @example "Deposit" */
  @Text({ max: 120 })
  label: string;

  /** @example "deposit" */
  @OneOf(STEP_TYPES)
  type: StepType;

  /** Of the booking's total; 10000 is all of it.
   * @example 3000 */
  @Clearable()
  @Whole({ min: 0, max: 10_000 })
  percentBasisPoints?: number | null;

  @Clearable()
  @Cents()
  fixedCents?: number | null;

  /** Takes what the other steps leave; exactly one step does. */
  @Optional()
  @Flag()
  remainder?: boolean;

  /** What the due date counts from.
   * @example "booking" */
  @OneOf(STEP_ANCHORS)
  anchor: StepAnchor;

  /** @example 0 */
  @Whole({ min: -3650, max: 3650 })
  offsetDays: number;
}

export class PaymentPolicyBody {
  /** In the order in which they take from the total.
   * @example [{"label": "Deposit", "type": "deposit", "percentBasisPoints": 3000, "anchor": "booking", "offsetDays": 0}, {"label": "Balance", "type": "balance", "remainder": true, "anchor": "departure", "offsetDays": -30}] */
  @ListOf(() => PolicyStepBody, { min: 1, max: 12 })
  steps: PolicyStepBody[];

  /** Fewer days than this until departure: everything is due today. 0 unless given.
   * @example 45 */
  @Optional()
  @Whole({ min: 0, max: 3650 })
  minimumDays?: number;

  /** A step that counts from the departure is due at the earliest so many days from today. 0 unless given.
   * @example 3 */
  @Optional()
  @Whole({ min: 0, max: 3650 })
  floorDays?: number;

  /** Without a departure date, steps that count from it are due so many days from today; null: everything today.
   * @example 14 */
  @Clearable()
  @Whole({ min: 0, max: 3650 })
  noDateDays?: number | null;

  /** Every step but the remainder is rounded to a multiple of this.
   * @example 100 */
  @Clearable()
  @Cents({ min: 1 })
  roundToCents?: number | null;
}

export class PolicyStepResponse {
  @Text({ max: 120 })
  label: string;

  @OneOf(STEP_TYPES)
  type: StepType;

  @Whole({ min: 0, max: 10_000 })
  percentBasisPoints: number | null;

  @Cents()
  fixedCents: number | null;

  @Flag()
  remainder: boolean;

  @OneOf(STEP_ANCHORS)
  anchor: StepAnchor;

  @Whole({ min: -3650, max: 3650 })
  offsetDays: number;
}

export class PaymentPolicyResponse {
  @ListOf(() => PolicyStepResponse, { min: 1, max: 12 })
  steps: PolicyStepResponse[];

  @Whole({ min: 0, max: 3650 })
  minimumDays: number;

  @Whole({ min: 0, max: 3650 })
  floorDays: number;

  @Whole({ min: 0, max: 3650 })
  noDateDays: number | null;

  @Cents({ min: 1 })
  roundToCents: number | null;
}
