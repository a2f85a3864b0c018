import { Cents, Clearable, Flag, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { type PaymentPolicy, STEP_ANCHORS, STEP_TYPES, type StepAnchor, type StepType } from './payment-policy.js';

/** One installment of a payment policy. Set exactly one of `percentBasisPoints`, `fixedCents` and `remainder`. */
export class PolicyStepBody {
  /**
   * Name of the installment as the customer reads it.
   * @example "Deposit"
   */
  @Text({ max: 120 })
  label: string;

  /**
   * Role of the installment in the plan; it does not affect the computation.
   * @example "deposit"
   */
  @OneOf(STEP_TYPES)
  type: StepType;

  /**
   * Share of the booking total in basis points; 10000 is 100 %.
   * @example 3000
   */
  @Clearable()
  @Whole({ min: 0, max: 10_000 })
  percentBasisPoints?: number | null;

  /** Fixed amount in minor units of the booking currency. */
  @Clearable()
  @Cents()
  fixedCents?: number | null;

  /** True for the one step that takes the rest of the total. */
  @Optional()
  @Flag()
  remainder?: boolean;

  /**
   * Date from which `offsetDays` counts: the day the plan is computed for the booking, or its departure date.
   * @example "booking"
   */
  @OneOf(STEP_ANCHORS)
  anchor: StepAnchor;

  /**
   * Days from the anchor to the due date; negative means before it.
   * @example 0
   */
  @Whole({ min: -3650, max: 3650 })
  offsetDays: number;
}

/** Rules from which payment plans are computed. Days are calendar days in the organization's time zone. */
export class PaymentPolicyBody {
  /**
   * Installments in the order in which they are computed. Exactly one step has `remainder`; the percentages add up to
   * at most 10000.
   * @example [{"label": "Deposit", "type": "deposit", "percentBasisPoints": 3000, "anchor": "booking", "offsetDays": 0}, {"label": "Balance", "type": "balance", "remainder": true, "anchor": "departure", "offsetDays": -30}]
   */
  @ListOf(() => PolicyStepBody, { min: 1, max: 12 })
  steps: PolicyStepBody[];

  /**
   * If the departure is fewer days away than this, the whole total is due today; 0 by default.
   * @example 45
   */
  @Optional()
  @Whole({ min: 0, max: 3650 })
  minimumDays?: number;

  /**
   * An installment anchored to the departure is due no earlier than this many days from today; 0 by default.
   * @example 3
   */
  @Optional()
  @Whole({ min: 0, max: 3650 })
  floorDays?: number;

  /**
   * Without a departure date, installments anchored to it are due this many days from today; null: the whole total is
   * due today.
   * @example 14
   */
  @Clearable()
  @Whole({ min: 0, max: 3650 })
  noDateDays?: number | null;

  /**
   * Percentages are rounded to a multiple of this amount, in minor units; fixed amounts are not. Null: no
   * rounding.
   * @example 100
   */
  @Clearable()
  @Cents({ min: 1 })
  roundToCents?: number | null;
}

/** One installment of a payment policy. Exactly one of `percentBasisPoints`, `fixedCents` and `remainder` is set. */
export class PolicyStepResponse {
  /** Name of the installment as the customer reads it. */
  @Text({ max: 120 })
  label: string;

  /** Role of the installment in the plan; it does not affect the computation. */
  @OneOf(STEP_TYPES)
  type: StepType;

  /** Share of the booking total in basis points, 10000 is 100 %; null if the amount is fixed or the remainder. */
  @Whole({ min: 0, max: 10_000 })
  percentBasisPoints: number | null;

  /** Fixed amount in minor units of the booking currency; null if it is a share or the remainder. */
  @Cents()
  fixedCents: number | null;

  /** True for the one step that takes the rest of the total. */
  @Flag()
  remainder: boolean;

  /** Date from which `offsetDays` counts. */
  @OneOf(STEP_ANCHORS)
  anchor: StepAnchor;

  /** Days from the anchor to the due date; negative means before it. */
  @Whole({ min: -3650, max: 3650 })
  offsetDays: number;
}

/** Rules from which payment plans are computed. Days are calendar days in the organization's time zone. */
export class PaymentPolicyResponse {
  /** Installments in the order in which they are computed. */
  @ListOf(() => PolicyStepResponse, { min: 1, max: 12 })
  steps: PolicyStepResponse[];

  /** If the departure is fewer days away than this, the whole total is due today. */
  @Whole({ min: 0, max: 3650 })
  minimumDays: number;

  /** An installment anchored to the departure is due no earlier than this many days from today. */
  @Whole({ min: 0, max: 3650 })
  floorDays: number;

  /**
   * Without a departure date, installments anchored to it are due this many days from today; null: the whole total is
   * due today.
   */
  @Whole({ min: 0, max: 3650 })
  noDateDays: number | null;

  /**
   * Percentages are rounded to a multiple of this amount, in minor units; fixed amounts are not. Null: no
   * rounding.
   */
  @Cents({ min: 1 })
  roundToCents: number | null;
}

export function toPolicy({
  steps,
  minimumDays,
  floorDays,
  noDateDays,
  roundToCents,
}: PaymentPolicy): PaymentPolicyResponse {
  return {
    steps: steps.map(({ label, type, percentBasisPoints, fixedCents, remainder, anchor, offsetDays }) => {
      return { label, type, percentBasisPoints, fixedCents, remainder, anchor, offsetDays };
    }),
    minimumDays,
    floorDays,
    noDateDays,
    roundToCents,
  };
}
