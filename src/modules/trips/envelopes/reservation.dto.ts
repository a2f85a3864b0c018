import { Id, ListOf, Nested, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { PROVIDER_NAMES, type ProviderName } from '../providers/provider.js';
import {
  PLAN_STATUSES,
  type PlanStatus,
  type ReservationPlan,
  STEP_STATUSES,
  type StepStatus,
} from './reservation-plan.js';

/** The reason why a reservation step failed. */
export class StepFailureResponse {
  /** Machine-readable reason from the provider adapter. */
  @Text({ max: 100 })
  code: string;

  /** Reason in plain English; its wording can change. */
  @Text({ max: 500 })
  message: string;
}

/** The part of an attempt that reserves one component. */
export class ReservationStepResponse {
  /** ID of the step, a TypeID with the prefix `tstp`. */
  @Id('tstp')
  stepId: string;

  /** Component that the step reserves (prefix `tcmp`). */
  @Id('tcmp')
  componentId: string;

  /** Provider that holds the component. */
  @OneOf(PROVIDER_NAMES)
  provider: ProviderName;

  /** Progress of the hold, its confirmation or its release. */
  @OneOf(STEP_STATUSES)
  status: StepStatus;

  /** When the provider's hold expires; null while there is none. */
  @Instant()
  holdExpiresAt: string | null;

  /** Reason why the last call to the provider failed; null if it succeeded. */
  @Nested(() => StepFailureResponse)
  failure: StepFailureResponse | null;

  /** Number of times the provider was asked to hold the component. */
  @Whole({ min: 0, max: 2_147_483_647 })
  attempts: number;
}

/** One attempt to reserve a trip, with a step per component. */
export class ReservationResponse {
  /** ID of the attempt, a TypeID with the prefix `tpln`. */
  @Id('tpln')
  planId: string;

  /** Number of the attempt, 1 for the first one. */
  @Whole({ min: 1, max: 2_147_483_647 })
  attempt: number;

  /** Overall result of the attempt. */
  @OneOf(PLAN_STATUSES)
  status: PlanStatus;

  /** One step per component. */
  @ListOf(() => ReservationStepResponse, { max: 50 })
  steps: ReservationStepResponse[];

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toReservation({
  id,
  attempt,
  status,
  steps,
  createdAt,
  updatedAt,
}: ReservationPlan): ReservationResponse {
  return {
    planId: id,
    attempt,
    status,
    steps: steps.map((step) => ({
      stepId: step.id,
      componentId: step.componentId,
      provider: step.provider,
      status: step.status,
      holdExpiresAt: step.holdExpiresAt?.toISOString() ?? null,
      failure: step.failure && { code: step.failure.code, message: step.failure.message },
      attempts: step.attempts,
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
