import { named } from '../../../../platform/http/named-values.js';
import { dataOf } from '../../../../platform/http/dto.js';
import {
  Cents,
  Flag,
  Id,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Whole,
} from '../../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../../platform/http/trade-fields.js';
import { PaymentPolicyBody, PaymentPolicyResponse } from '../../../bookings/index.js';
import { POLICY_SOURCES, type PolicySource } from '../account/payment-plan.entity.js';
import {
  SCHEDULE_BASES,
  SCHEDULE_STATUSES,
  SCHEDULE_TYPES,
  type ScheduleBasis,
  type ScheduleStatus,
  type ScheduleType,
} from '../account/payment-schedule.entity.js';

export const COLLECTION_METHODS = named('CollectionMethod', ['card', 'bank_transfer']);
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

export const COLLECTION_STAGES = named('CollectionStage', ['initial', 'reminder', 'manual']);
export type CollectionStage = (typeof COLLECTION_STAGES)[number];

export const RECOMMENDED_ACTIONS = ['none', 'request_payment', 'issue_invoice'] as const;
export type RecommendedAction = (typeof RECOMMENDED_ACTIONS)[number];

/** Options of the collection. Every member has a default; the body may be omitted. */
export class CollectionPlanRequest {
  /** Intended way of payment; `card` by default. It determines the recommended action. */
  @Optional()
  @OneOf(COLLECTION_METHODS)
  method?: CollectionMethod;

  /** Occasion of the request; `initial` by default. */
  @Optional()
  @OneOf(COLLECTION_STAGES)
  stage?: CollectionStage;

  /** Collect the outstanding amount of this installment (prefix `psch`). */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /** Collect this amount, in minor units; at most the total outstanding amount. */
  @Optional()
  @Cents({ min: 1 })
  amountCents?: number;

  /**
   * Used in place of the booking's and the organization's policy if the booking has no plan; otherwise ignored with
   * the warning `policy_ignored`.
   */
  @Optional()
  @Nested(() => PaymentPolicyBody)
  policy?: PaymentPolicyBody;

  /** Whether to store the plan if the booking has none; true by default. */
  @Optional()
  @Flag()
  materialize?: boolean;

  /** Day for which the plan is computed, today by default; only with `materialize: false`. */
  @Optional()
  @IsoDate()
  asOf?: string;
}

/** One installment, stored or computed. Amounts are in minor units of the booking currency. */
export class CollectionPlanEntry {
  /** The stored installment (prefix `psch`); null if the plan is not stored. */
  @Id('psch')
  scheduleId: string | null;

  /** Type of the installment in the plan. */
  @OneOf(SCHEDULE_TYPES)
  type: ScheduleType;

  /** Name of the installment, as shown to the customer. */
  @Text({ max: 120 })
  label: string;

  /** Payment deadline. */
  @IsoDate()
  dueDate: string;

  /** Amount of the installment, in minor units. */
  @Cents({ min: 1 })
  amountCents: number;

  /** Amount already paid on it, in minor units. */
  @Cents()
  paidCents: number;

  /** Status on the day `asOf`; `overdue` is a pending installment past its due date. */
  @OneOf(SCHEDULE_STATUSES)
  status: ScheduleStatus;

  /**
   * Origin: a policy step counted from the booking or the departure, the full amount at once, a change of the
   * booking's items, or staff.
   */
  @OneOf(SCHEDULE_BASES)
  basis: ScheduleBasis;
}

/** Payment plan of a booking and the amount to collect now. Amounts are in minor units of `currency`. */
export class CollectionPlanResponse {
  @Id('book')
  bookingId: string;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Way of payment as requested. */
  @OneOf(COLLECTION_METHODS)
  method: CollectionMethod;

  /** Occasion as requested. */
  @OneOf(COLLECTION_STAGES)
  stage: CollectionStage;

  /** Total of the booking. */
  @Cents()
  totalCents: number;

  /** Sum of the paid amounts of the installments. */
  @Cents()
  paidCents: number;

  /** Sum of the cancelled installments whose amount was not moved to another one. */
  @Cents()
  waivedCents: number;

  /** Sum still to be collected on installments that are not cancelled. */
  @Cents()
  outstandingCents: number;

  /** Money received for the booking that settles no installment. */
  @Cents()
  unappliedCents: number;

  /** Payment policy of the plan; null if none is configured and everything is due immediately. */
  @Nested(() => PaymentPolicyResponse)
  policy: PaymentPolicyResponse | null;

  /** Origin of the policy: the request, the booking or the organization; or none. */
  @OneOf(POLICY_SOURCES)
  policySource: PolicySource;

  /** Departure date of the booking; null if unknown. */
  @IsoDate()
  departureDate: string | null;

  /** Day for which plan and statuses are computed. */
  @IsoDate()
  asOf: string;

  /** True for a draft booking: nothing of the plan is owed until the booking is confirmed. */
  @Flag()
  quote: boolean;

  /** True if this call stored the plan. */
  @Flag()
  materialized: boolean;

  /** Version of the stored plan, counted per booking; null if none is stored. */
  @Whole({ min: 1, max: 2_147_483_647 })
  planVersion: number | null;

  /** Installments by due date. */
  @ListOf(() => CollectionPlanEntry, { max: 100_000 })
  entries: CollectionPlanEntry[];

  /** First installment with an outstanding amount; null if there is none. */
  @Nested(() => CollectionPlanEntry)
  nextDue: CollectionPlanEntry | null;

  /** Amount to collect now, in minor units; 0 if nothing is outstanding. */
  @Cents()
  amountCents: number;

  /**
   * `none` if there is nothing to collect, `request_payment` for cards and if an open invoice exists, otherwise
   * `issue_invoice`.
   */
  @OneOf(RECOMMENDED_ACTIONS)
  recommendedAction: RecommendedAction;

  /**
   * `departure_past`: everything is due immediately. `policy_ignored`: the booking has a plan, so the sent policy has no
   * effect. `unapplied_money`: allocate unapplied money before requesting more.
   */
  @Texts({ max: 10, maxLength: 50 })
  warnings: string[];
}

export class CollectionPlanEnvelope extends dataOf(CollectionPlanResponse) {}
