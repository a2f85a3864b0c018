import { type AppError, conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import { newId } from '../../../platform/ids/id.js';
import {
  type HoldResult,
  isInternal,
  type Offer,
  type Order,
  type ProviderName,
  type Quote,
  type Rejection,
} from '../providers/provider.js';
import type { TripComponent } from './trip-component.entity.js';

/*
 * A reservation as a saga. A plan has one step per component; this file has all states, their transitions, and decides the next
 * action. Internal steps are held in the transaction that creates the plan. External steps are held in sequence. Each request
 * is stored before it is sent, and each answer before the next request, so that any process can continue from the stored plan.
 * If a step fails, the plan compensates: it releases its holds in reverse order.
 */

/** `running` and `compensating` are unfinished; `held` lasts until the plan is booked or released. */
export const PLAN_STATUSES = named('ReservationPlanStatus', [
  'running',
  'compensating',
  'held',
  'failed',
  'released',
  'booked',
]);
export type PlanStatus = (typeof PLAN_STATUSES)[number];

export const STEP_STATUSES = named('ReservationStepStatus', [
  'pending',
  'dispatching',
  'held',
  'failed',
  'unknown',
  'abandoned',
  'releasing',
  'released',
  'release_failed',
  'confirming',
  'confirmed',
  'confirm_failed',
  'confirm_unknown',
  'cancelling',
  'cancelled',
  'cancel_failed',
]);
export type StepStatus = (typeof STEP_STATUSES)[number];

const PLAN_TRANSITIONS: Readonly<Record<PlanStatus, readonly PlanStatus[]>> = {
  running: ['held', 'compensating', 'failed'],
  compensating: ['failed'],
  held: ['booked', 'released'],
  failed: [],
  released: [],
  booked: [],
};

/**
 * Internal steps go straight to `held`, `released`, `confirmed` and `cancelled`; only external calls use the states between.
 * `abandoned` means that the attempt ended before the provider reported an outcome, which is still looked up.
 */
const STEP_TRANSITIONS: Readonly<Record<StepStatus, readonly StepStatus[]>> = {
  pending: ['dispatching', 'held', 'failed'],
  dispatching: ['held', 'failed', 'unknown', 'abandoned'],
  unknown: ['held', 'failed', 'unknown', 'abandoned'],
  abandoned: ['abandoned', 'releasing', 'released'],
  held: ['releasing', 'released', 'confirming', 'confirmed'],
  failed: [],
  releasing: ['released', 'release_failed'],
  released: [],
  release_failed: ['released', 'release_failed'],
  confirming: ['confirming', 'confirmed', 'confirm_failed', 'confirm_unknown', 'cancelling'],
  confirmed: ['cancelling', 'cancelled'],
  confirm_failed: ['confirming', 'confirmed', 'cancelled'],
  confirm_unknown: ['confirming', 'confirmed', 'cancelling'],
  cancelling: ['cancelling', 'cancelled', 'cancel_failed'],
  cancelled: [],
  cancel_failed: ['cancelled'],
};

/** The offer for a component when the plan was made; it does not change with the component. */
export interface FrozenOffer extends Order {
  readonly title: string;
  readonly totalCents: number;
  readonly taxCents: number;
  readonly currency: string;
  readonly serviceDate: string | null;
  readonly cancellationCents: number;
}

/** The part of a plan that holds one component. */
export interface ReservationStep {
  readonly id: string;
  readonly componentId: string;
  readonly position: number;
  readonly provider: ProviderName;
  /** Identifies the hold at the provider. */
  readonly providerKey: string;
  status: StepStatus;
  readonly offer: FrozenOffer;
  holdExpiresAt: Date | null;
  failure: Rejection | null;
  /** Number of requests to the provider to hold, release, confirm or cancel. */
  attempts: number;
  /** Number of requests without a response in its current status. */
  tries: number;
  /** The time since which the outcome of the hold is unknown. */
  unknownSince: Date | null;
  /** Time of the next call to the provider; null if nothing is left to do, or if a process continues the reservation. */
  dueAt: Date | null;
}

/** One attempt to hold all components of a trip. */
export interface ReservationPlan {
  readonly id: string;
  readonly envelopeId: string;
  /** 1 for the trip's first. */
  attempt: number;
  status: PlanStatus;
  readonly createdAt: Date;
  updatedAt: Date;
  /**
   * Internal steps come first, in the order in which departures are locked; external steps follow, the cheapest to cancel
   * first.
   */
  readonly steps: ReservationStep[];
}

/** The next action of a plan; see `nextAction`. */
export type SagaAction =
  /** Request the hold at the provider. */
  | { readonly name: 'hold'; readonly step: ReservationStep }
  /** Ask the provider for the result of a hold that was requested before. */
  | { readonly name: 'find'; readonly step: ReservationStep }
  /** Every step is held: the trip is reserved. */
  | { readonly name: 'complete' }
  /** A step failed: everything held has to be released. */
  | { readonly name: 'compensate' }
  | { readonly name: 'release'; readonly step: ReservationStep }
  /** All external holds are released, or left to a job: the reservation has failed. */
  | { readonly name: 'fail' };

/** The next action of an unfinished plan. It depends on the stored states alone. */
export function nextAction({ status, steps }: ReservationPlan): SagaAction {
  if (status === 'compensating') {
    const last = steps.findLast((step) => step.status === 'releasing');
    return last ? { name: 'release', step: last } : { name: 'fail' };
  }
  if (steps.some((step) => step.status === 'failed')) return { name: 'compensate' };
  const next = steps.find((step) => step.status !== 'held');
  if (!next) return { name: 'complete' };
  return { name: next.status === 'pending' ? 'hold' : 'find', step: next };
}

export function isUnfinished({ status }: ReservationPlan): boolean {
  return status === 'running' || status === 'compensating';
}

export function movePlan(plan: ReservationPlan, to: PlanStatus): void {
  if (!PLAN_TRANSITIONS[plan.status].includes(to)) throw new Error(`${plan.id} cannot go from ${plan.status} to ${to}`);
  plan.status = to;
}

type StepChanges = Partial<
  Pick<ReservationStep, 'holdExpiresAt' | 'failure' | 'attempts' | 'tries' | 'unknownSince' | 'dueAt'>
>;

export function moveStep(step: ReservationStep, to: StepStatus, changes: StepChanges = {}): void {
  if (!STEP_TRANSITIONS[step.status].includes(to)) throw new Error(`${step.id} cannot go from ${step.status} to ${to}`);
  // A new status starts without tries and without a due call.
  const fresh = step.status === to ? {} : { tries: 0, dueAt: null };
  Object.assign(step, fresh, changes, { status: to });
}

export function moveToHeld(step: ReservationStep, holdExpiresAt: Date): void {
  moveStep(step, 'held', { holdExpiresAt, attempts: 1 });
}

/** Updates internal steps after some were rejected: the transaction that held the others was rolled back. */
export function moveToRejected(
  plan: ReservationPlan,
  rejected: ReadonlyMap<string, Rejection>,
  holdExpiresAt: Date,
): void {
  for (const step of internalSteps(plan)) {
    const failure = rejected.get(step.componentId);
    if (failure) moveStep(step, 'failed', { failure, attempts: 1 });
    else {
      moveToHeld(step, holdExpiresAt);
      moveStep(step, 'released');
    }
  }
}

/** Stores the response of an external provider. */
export function moveByResult(step: ReservationStep, result: HoldResult): void {
  if (result.held) moveStep(step, 'held', { holdExpiresAt: result.expiresAt });
  else moveStep(step, 'failed', { failure: { code: result.code, message: result.message } });
}

/** Marks the external holds for release. `dueAt` is the time at which the sweeper releases them; null if the caller does. */
export function markReleasing(plan: ReservationPlan, dueAt: Date | null): ReservationStep[] {
  const held = externalSteps(plan).filter(({ status }) => status === 'held');
  for (const step of held) moveStep(step, 'releasing', { dueAt });
  return held;
}

export function stepOf({ id: planId, steps }: ReservationPlan, stepId: string): ReservationStep {
  const step = steps.find(({ id }) => id === stepId);
  if (!step) throw new Error(`${planId} has no step ${stepId}`);
  return step;
}

export function newPlan(
  envelopeId: string,
  components: readonly TripComponent[],
  { quotes, now }: { quotes: ReadonlyMap<string, Quote>; now: Date },
): ReservationPlan {
  const planId = newId('tpln');
  const offered = components.flatMap((component): [TripComponent, Offer][] => {
    const quote = quotes.get(component.id);
    return quote?.available ? [[component, quote]] : [];
  });
  const internal = offered.filter(([component]) => component.isInternal());
  internal.sort(([a], [b]) => ((a.departureId ?? '') < (b.departureId ?? '') ? -1 : 1));
  const external = offered.filter(([component]) => !component.isInternal());
  external.sort(([a, x], [b, y]) => x.cancellationCents - y.cancellationCents || a.position - b.position);
  const steps = [...internal, ...external].map(([component, offer], position) =>
    newStep(planId, component, { offer, position }),
  );
  // The attempt is counted when the plan is stored.
  return { id: planId, envelopeId, attempt: 1, status: 'running', createdAt: now, updatedAt: now, steps };
}

export function newStep(
  planId: string,
  component: TripComponent,
  { offer, position }: { offer: Offer; position: number },
): ReservationStep {
  return {
    id: newId('tstp'),
    componentId: component.id,
    position,
    provider: component.provider(),
    providerKey: `${planId}:${component.id}:1`,
    status: 'pending',
    offer: freeze(component, offer),
    holdExpiresAt: null,
    failure: null,
    attempts: 0,
    tries: 0,
    unknownSince: null,
    dueAt: null,
  };
}

export function internalSteps({ steps }: ReservationPlan): ReservationStep[] {
  return steps.filter(({ provider }) => isInternal(provider));
}

export function externalSteps({ steps }: ReservationPlan): ReservationStep[] {
  return steps.filter(({ provider }) => !isInternal(provider));
}

/** External holds that are not released yet. */
export function unreleasedSteps({ steps }: ReservationPlan): ReservationStep[] {
  return steps.filter(({ status }) => status === 'releasing' || status === 'release_failed');
}

/** Returns whether the attempt must end because a step is unknown for longer than the limit, or a hold has expired. */
export function isOverdue({ steps }: ReservationPlan, { now, limitMs }: { now: Date; limitMs: number }): boolean {
  return steps.some(({ status, unknownSince, holdExpiresAt }) => {
    if (status === 'held') return holdExpiresAt !== null && holdExpiresAt <= now;
    return status === 'unknown' && unknownSince !== null && unknownSince.getTime() + limitMs <= now.getTime();
  });
}

/** Returns the expiry of the plan's first hold. */
export function firstExpiryOf({ steps }: ReservationPlan): Date {
  const held = steps.filter(({ status }) => status === 'held');
  return new Date(Math.min(...held.map(({ holdExpiresAt }) => holdExpiresAt?.getTime() ?? Infinity)));
}

/** Marks the components whose steps are held. */
export function showHolds({ steps }: ReservationPlan, components: readonly TripComponent[]): void {
  for (const { componentId, status, holdExpiresAt } of steps) {
    const component = components.find(({ id }) => id === componentId);
    if (component && status === 'held' && holdExpiresAt && component.status !== 'held') component.hold(holdExpiresAt);
  }
}

/** After a failed reservation the components of failed steps are unavailable; the others keep their prices. */
export function showFailures({ steps }: ReservationPlan, components: readonly TripComponent[]): void {
  for (const component of components) {
    const failure = steps.find(({ componentId }) => componentId === component.id)?.failure;
    if (failure) component.markUnavailable(failure.message);
    else component.release('priced');
  }
}

export function reservationFailed({ id: planId, steps }: ReservationPlan): AppError {
  const failures = steps.flatMap(({ componentId, failure }) => (failure ? [{ componentId, ...failure }] : []));
  const compensations = steps
    .filter(({ status }) => ['released', 'releasing', 'release_failed', 'abandoned'].includes(status))
    .map(({ componentId, status }) => ({ componentId, status }));
  return conflict('reservation_failed', 'Not every component could be held; all holds are released', {
    planId,
    failures,
    compensations,
  });
}

function freeze(component: TripComponent, offer: Offer): FrozenOffer {
  return {
    componentId: component.id,
    departureId: component.departureId,
    providerRef: component.providerRef,
    quantity: offer.seats ?? component.quantity,
    title: component.title,
    totalCents: offer.totalCents,
    taxCents: offer.taxCents,
    currency: offer.currency,
    serviceDate: offer.serviceDate,
    cancellationCents: offer.cancellationCents,
  };
}
