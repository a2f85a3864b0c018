import { Id, ListOf, Nested, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { PROVIDER_NAMES, type ProviderName } from '../providers/provider.js';
import { type Plan, PLAN_STATUSES, type PlanStatus, STEP_STATUSES, type StepStatus } from './plan.js';

export class StepFailureResponse {
  @Text({ max: 100 })
  code: string;

  @Text({ max: 500 })
  message: string;
}

export class ReservationStepResponse {
  @Id('tstp')
  stepId: string;

  @Id('tcmp')
  componentId: string;

  @OneOf(PROVIDER_NAMES)
  provider: ProviderName;

  @OneOf(STEP_STATUSES)
  status: StepStatus;

  @Instant()
  holdExpiresAt: string | null;

  @Nested(() => StepFailureResponse)
  failure: StepFailureResponse | null;

  /** How often the provider was asked. */
  @Whole({ min: 0, max: 2_147_483_647 })
  attempts: number;
}

export class ReservationResponse {
  @Id('tpln')
  planId: string;

  /** 1 for the first attempt to reserve the trip. */
  @Whole({ min: 1, max: 2_147_483_647 })
  attempt: number;

  @OneOf(PLAN_STATUSES)
  status: PlanStatus;

  @ListOf(() => ReservationStepResponse, { max: 50 })
  steps: ReservationStepResponse[];

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toReservation({ id, attempt, status, steps, createdAt, updatedAt }: Plan): ReservationResponse {
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
