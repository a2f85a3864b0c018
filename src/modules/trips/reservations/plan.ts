import { named } from '../../../platform/http/named-values.js';
import type { TripComponent } from '../components/component.entity.js';
import type { Offer, Order, ProviderName, Refusal } from '../providers/provider.js';

/** `running` and `compensating` are unfinished, `held` lasts until it is booked or released. */
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
  'releasing',
  'released',
  'release_failed',
  'confirming',
  'confirmed',
  'confirm_failed',
]);
export type StepStatus = (typeof STEP_STATUSES)[number];

/** What was agreed on a component when the plan was made, whatever becomes of the component later. */
export interface FrozenOffer extends Order {
  readonly title: string;
  readonly totalCents: number;
  readonly taxCents: number;
  readonly currency: string;
  readonly serviceDate: string | null;
  readonly cancellationCents: number;
}

/** The part of a plan that holds one component. */
export interface Step {
  readonly id: string;
  readonly componentId: string;
  readonly position: number;
  readonly provider: ProviderName;
  /** By this the provider knows the hold. */
  readonly providerKey: string;
  status: StepStatus;
  readonly offer: FrozenOffer;
  holdExpiresAt: Date | null;
  failure: Refusal | null;
  /** How often the provider was asked to hold, release or confirm. */
  attempts: number;
}

/** One attempt to hold all components of a trip. */
export interface Plan {
  readonly id: string;
  readonly envelopeId: string;
  /** 1 for the trip's first. */
  attempt: number;
  status: PlanStatus;
  readonly createdAt: Date;
  updatedAt: Date;
  /** Ours first, in the order of their departures; then the external ones, the cheapest to cancel first. */
  readonly steps: Step[];
}

export function freeze(component: TripComponent, offer: Offer): FrozenOffer {
  return {
    componentId: component.id,
    departureId: component.departureId,
    providerRef: component.providerRef,
    quantity: component.quantity,
    title: component.title,
    totalCents: offer.totalCents,
    taxCents: offer.taxCents,
    currency: offer.currency,
    serviceDate: offer.serviceDate,
    cancellationCents: offer.cancellationCents,
  };
}
