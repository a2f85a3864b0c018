import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { PaymentPolicyBody, PaymentPolicyResponse } from '../../bookings/index.js';
import { POLICY_SOURCES, type PolicySource } from './payment-plan.entity.js';
import {
  SCHEDULE_BASES,
  SCHEDULE_STATUSES,
  SCHEDULE_TYPES,
  type ScheduleBasis,
  type ScheduleStatus,
  type ScheduleType,
} from './payment-schedule.entity.js';

export const COLLECTION_METHODS = ['card', 'bank_transfer'] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

export const COLLECTION_STAGES = ['initial', 'reminder', 'manual'] as const;
export type CollectionStage = (typeof COLLECTION_STAGES)[number];

export const RECOMMENDED_ACTIONS = ['none', 'request_payment', 'issue_invoice'] as const;
export type RecommendedAction = (typeof RECOMMENDED_ACTIONS)[number];

/** Every member may be left out, and so may the body. */
export class CollectionPlanRequest {
  /** How the customer is to pay; `card` unless given. */
  @Optional()
  @OneOf(COLLECTION_METHODS)
  method?: CollectionMethod;

  /** Why it is asked; `initial` unless given. */
  @Optional()
  @OneOf(COLLECTION_STAGES)
  stage?: CollectionStage;

  /** Collect what is outstanding on this installment. */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /** Collect this much, at most what is outstanding in all. */
  @Optional()
  @Cents({ min: 1 })
  amountCents?: number;

  /** Used instead of the booking's and the organization's, where the booking has no plan yet. */
  @Optional()
  @Nested(() => PaymentPolicyBody)
  policy?: PaymentPolicyBody;

  /** Whether the plan is stored where the booking has none; true unless given. */
  @Optional()
  @Flag()
  materialize?: boolean;

  /** The day to compute for instead of today; only with `materialize: false`. */
  @Optional()
  @IsoDate()
  asOf?: string;
}

export class CollectionPlanEntry {
  /** The installment; null where none is stored yet. */
  @Id('psch')
  scheduleId: string | null;

  @OneOf(SCHEDULE_TYPES)
  type: ScheduleType;

  @Text({ max: 120 })
  label: string;

  @IsoDate()
  dueDate: string;

  @Cents({ min: 1 })
  amountCents: number;

  @Cents()
  paidCents: number;

  @OneOf(SCHEDULE_STATUSES)
  status: ScheduleStatus;

  /** What it came from: a step that counts from the booking or the departure, the whole amount at once, a change of the
   * booking's items, or staff. */
  @OneOf(SCHEDULE_BASES)
  basis: ScheduleBasis;
}

export class CollectionPlanResponse {
  @Id('book')
  bookingId: string;

  @CurrencyCode()
  currency: string;

  @OneOf(COLLECTION_METHODS)
  method: CollectionMethod;

  @OneOf(COLLECTION_STAGES)
  stage: CollectionStage;

  @Cents()
  totalCents: number;

  @Cents()
  paidCents: number;

  @Cents()
  waivedCents: number;

  @Cents()
  outstandingCents: number;

  /** Money that was received for the booking and settles no installment. */
  @Cents()
  unappliedCents: number;

  @Nested(() => PaymentPolicyResponse)
  policy: PaymentPolicyResponse | null;

  @OneOf(POLICY_SOURCES)
  policySource: PolicySource;

  @IsoDate()
  departureDate: string | null;

  /** The day that the plan is computed and looked at for. */
  @IsoDate()
  asOf: string;

  /** Whether this call stored the plan. */
  @Flag()
  materialized: boolean;

  /** Null where no plan is stored. */
  @Whole({ min: 1, max: 2_147_483_647 })
  planVersion: number | null;

  /** By due date. */
  @ListOf(() => CollectionPlanEntry, { max: 100_000 })
  entries: CollectionPlanEntry[];

  /** The first entry that something is outstanding on. */
  @Nested(() => CollectionPlanEntry)
  nextDue: CollectionPlanEntry | null;

  /** To be collected now. */
  @Cents()
  amountCents: number;

  @OneOf(RECOMMENDED_ACTIONS)
  recommendedAction: RecommendedAction;

  /** `departure_past`: everything is due at once; `policy_ignored`: the booking has a plan, which the given policy does
   * not touch; `unapplied_money`: allocate what lies there before asking for more. */
  @Texts({ max: 10, maxLength: 50 })
  warnings: string[];
}

export class CollectionPlanEnvelope extends dataOf(CollectionPlanResponse) {}
