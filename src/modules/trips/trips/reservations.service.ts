import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  CompletesReversal,
  type RecordedAction,
  type ReversalResult,
  Reverses,
} from '../../action-ledger/index.js';
import { BookingsService, type ComponentSale, type TripSale } from '../../bookings/index.js';
import { ExternalProvidersService } from '../providers/external-providers.service.js';
import { InternalProvider } from '../providers/internal-provider.js';
import type { Rejection } from '../providers/provider.js';
import {
  externalSteps,
  internalSteps,
  markReleasing,
  movePlan,
  moveStep,
  type ReservationPlan,
  type ReservationStep,
  stepOf,
  type StepStatus,
  unreleasedSteps,
} from './reservation-plan.js';
import {
  type Attempted,
  type Claim,
  type HoldsRejected,
  inProgress,
  LEASE_SECONDS,
  RELEASE_JOB,
  ReservationSaga,
  RETRY_AFTER_MS,
} from './reservation-saga.js';
import { missingMembers } from './traveler-party.js';
import type { TripComponent } from './trip-component.entity.js';
import { changeOf, eventsOf } from './trip-audit.js';
import type { Trip, TripView } from './trip.entity.js';
import { TripsRepository } from './trips.repository.js';
import { TripsService } from './trips.service.js';

/** Confirms an external hold after the commit. */
export const CONFIRM_JOB = 'trips.steps.confirm';

/** The first transaction of a reservation: its result, or a draft without prices, or a claim for the rest. */
type Begun = Attempted | { draft: true } | { claim: Claim };

/**
 * Reserves trips, and ends reservations: booked, cancelled, expired or reversed, and settled with external providers. Eleven
 * dependencies: a draft is priced here first, a trip becomes a booking, and every end is recorded and published.
 */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly trips: TripsService,
    private readonly saga: ReservationSaga,
    private readonly internal: InternalProvider,
    private readonly external: ExternalProvidersService,
    private readonly bookings: BookingsService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Holds all components of the trip or none. A trip with live holds stays as it is. New prices and rejections are stored
   * even if the call fails.
   */
  async reserve(id: string, expected: ExpectedVersions): Promise<TripView> {
    let begun = await this.saga.attempting((rejected) => this.begin(id, expected, rejected));
    if ('draft' in begun) {
      await this.priceDraft(id, expected);
      // Pricing raised the version.
      begun = await this.saga.attempting((rejected) => this.begin(id, null, rejected));
    }
    if ('draft' in begun) {
      throw conflict('trip_not_priced', 'The trip was changed by another request', { componentIds: [] });
    }
    if ('claim' in begun) return this.saga.run(begun.claim);
    if (begun.error) throw begun.error;
    return begun.view;
  }

  /** The trip becomes a confirmed booking with an item for each component. */
  async book(id: string, expected: ExpectedVersions): Promise<TripView> {
    return this.database.transaction(async () => {
      const view = await this.lockExpected(id, expected);
      const { trip, components, plan } = view;
      const before = trip.auditImage();
      const { holdExpiresAt } = trip;
      const isLive = trip.isHeldAt(this.clock.now());
      trip.moveTo('booked', this.clock.now());
      if (!isLive || !plan) {
        throw conflict('hold_expired', 'The hold has expired; price the trip and reserve it again', {
          holdExpiresAt: holdExpiresAt?.toISOString() ?? null,
        });
      }
      const held = components.filter(({ status }) => status === 'held');
      // Before the booking, because it locks the departures in the order of their ids.
      await this.confirmAll(plan);
      const { bookingId, itemIds } = await this.bookings.sellTrip(saleOf(trip, held));
      held.forEach((component, index) => component.book(itemIds[index] ?? ''));
      trip.bookingId = bookingId;
      await this.repository.save(view);
      this.ledger.record('trips.trip.book', changeOf(trip, before));
      this.publish('booked', trip, { bookingId });
      return view;
    });
  }

  async cancel(id: string, reason: string | null, expected: ExpectedVersions): Promise<TripView> {
    return this.database.transaction(async () => {
      const view = await this.lockExpected(id, expected);
      const { trip, components, plan } = view;
      const before = trip.auditImage();
      const wasReserved = trip.status === 'reserved';
      trip.cancel(reason, this.clock.now());
      if (wasReserved && plan) await this.releaseAll(plan);
      for (const component of components) component.release('cancelled');
      await this.repository.save(view);
      this.ledger.record('trips.trip.cancel', { ...changeOf(trip, before), reason });
      this.publish('cancelled', trip);
      return view;
    });
  }

  /** Releases a trip whose holds have expired. Returns false if it has none any more. */
  async expire(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const { trip, components: all, plan } = await this.repository.lockView(id);
      const now = this.clock.now();
      if (trip.status !== 'reserved' || trip.isHeldAt(now)) return false;
      const before = trip.auditImage();
      if (plan) await this.releaseAll(plan);
      const components = releaseHeld(all);
      trip.moveTo('expired', now);
      await this.repository.save({ trip, components, plan });
      this.ledger.record('trips.trip.expire', changeOf(trip, before));
      this.publish('hold_expired', trip);
      return true;
    });
  }

  /**
   * Reverses the reservation of the plan that the entry names: internal holds are released, external ones are left to
   * `releaseExternalHolds`, and the trip is a draft without prices. If an earlier reversal did that already, only
   * unreleased external holds are left. Throws 409 `trip_not_reserved`, `reserved_again`.
   */
  @Reverses('trips.trip.reserve')
  async reverseReservation({ subjectId, after }: RecordedAction): Promise<ReversalResult> {
    const { trip, components: all, plan } = await this.repository.lockView(subjectId);
    const before = trip.auditImage();
    if (!plan || plan.id !== after?.['planId']) {
      throw conflict('reserved_again', 'The trip was reserved again in the meantime', { planId: plan?.id ?? null });
    }
    if (!isReleasedInPart(plan)) {
      if (trip.status !== 'reserved') {
        throw conflict('trip_not_reserved', `The trip is ${trip.status}`, { status: trip.status });
      }
      await this.releaseHolds(plan);
      const components = releaseHeld(all);
      trip.unreserve(this.clock.now());
      await this.repository.save({ trip, components, plan });
      this.publish('unreserved', trip);
    }
    return { before, after: trip.auditImage(), isRunning: unreleasedSteps(plan).length > 0 };
  }

  /** Calls every external provider, also after one of them failed. Throws the first error. */
  @CompletesReversal('trips.trip.reserve')
  async releaseExternalHolds({ subjectId, after }: RecordedAction): Promise<void> {
    const plan = await this.repository.lastPlan(subjectId);
    const steps = plan && plan.id === after?.['planId'] ? unreleasedSteps(plan) : [];
    const errors: unknown[] = [];
    for (const { id } of steps) await this.release(id).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  /** Releases an external hold. Throws if the provider did not; the job is repeated with growing pauses. */
  async release(stepId: string): Promise<void> {
    await this.settle(stepId, ['releasing', 'release_failed'], async (step) => {
      return { status: (await this.external.release(step)) ? 'released' : 'release_failed', failure: null };
    });
  }

  /** Confirms an external hold. Throws if the provider did not; the job is repeated with growing pauses. */
  async confirm(stepId: string): Promise<void> {
    await this.settle(stepId, ['confirming', 'confirm_failed'], async (step) => {
      const failure = await this.external.confirm(step);
      return { status: failure ? 'confirm_failed' : 'confirmed', failure };
    });
  }

  /** Releases expired holds and ends abandoned reservations. Several processes may sweep at once. Returns how many it ended. */
  async sweep(): Promise<number> {
    let ended = 0;
    for (const id of await this.repository.idsWithExpiredHolds()) if (await this.expire(id)) ended += 1;
    for (const id of await this.repository.idsWithExpiredLease()) if (await this.saga.recover(id)) ended += 1;
    return ended;
  }

  private async begin(id: string, expected: ExpectedVersions, rejected: HoldsRejected | null): Promise<Begun> {
    const trip = await this.repository.trips.lock(id);
    assertVersion(expected, trip);
    if (trip.isHeldAt(this.clock.now())) return { view: await this.repository.viewOf(trip), error: null };
    this.assertNotInProgress(trip);
    const components = (await this.repository.componentsOf(id)).filter((one) => one.isActive());
    assertReservable(trip, components);
    if (trip.status === 'draft') return { draft: true };
    assertComplete(trip, components);

    const before = trip.auditImage();
    trip.startReservation(this.clock.inSeconds(LEASE_SECONDS), this.clock.now());
    if (components.every((one) => one.isInternal())) {
      const quotes = await this.internal.quote(components.map((one) => one.quoteRequest()));
      return this.saga.attempt({ trip, components, quotes, before, rejected });
    }
    await this.repository.trips.update(trip);
    return { claim: { tripId: id, token: trip.fencingToken } };
  }

  /**
   * Releases the internal holds and marks the external ones as `releasing`. Returns these: they are released after the
   * commit.
   */
  private async releaseHolds(plan: ReservationPlan): Promise<ReservationStep[]> {
    await this.saga.releaseInternal(plan);
    movePlan(plan, 'released');
    return markReleasing(plan);
  }

  /** Like `releaseHolds`; jobs release the external holds. */
  private async releaseAll(plan: ReservationPlan): Promise<void> {
    for (const step of await this.releaseHolds(plan)) await this.jobs.add(RELEASE_JOB, { stepId: step.id });
  }

  /** Sells the internal holds; jobs confirm the external ones. */
  private async confirmAll(plan: ReservationPlan): Promise<void> {
    for (const step of internalSteps(plan)) {
      await this.internal.confirm(step.offer);
      moveStep(step, 'confirmed');
    }
    for (const step of externalSteps(plan)) {
      moveStep(step, 'confirming');
      await this.jobs.add(CONFIRM_JOB, { stepId: step.id });
    }
    movePlan(plan, 'booked');
  }

  /** Calls the provider if the step is due, stores the result, and throws if it is a failure. */
  private async settle(
    stepId: string,
    due: readonly StepStatus[],
    call: (step: ReservationStep) => Promise<{ status: StepStatus; failure: Rejection | null }>,
  ): Promise<void> {
    const known = await this.repository.planOfStep(stepId);
    const step = known && stepOf(known, stepId);
    if (!step || !due.includes(step.status)) return;
    const { status, failure } = await call(step);
    await this.database.transaction(async () => {
      const trip = await this.repository.trips.lock(known.envelopeId);
      const plan = (await this.repository.planOfStep(stepId)) ?? known;
      const stored = stepOf(plan, stepId);
      if (!due.includes(stored.status)) return;
      moveStep(stored, status, { failure, attempts: stored.attempts + 1 });
      await this.repository.savePlan(plan);
      await this.updateAttention(trip);
    });
    if (status.endsWith('_failed')) throw new Error(`${stepId}: ${status}`);
  }

  private async updateAttention(trip: Trip): Promise<void> {
    const attention = await this.repository.hasUnsettledSteps(trip.id);
    if (attention === trip.attention) return;
    const before = trip.auditImage();
    trip.attention = attention;
    await this.repository.trips.update(trip);
    this.ledger.record('trips.trip.update', changeOf(trip, before));
  }

  private async priceDraft(id: string, expected: ExpectedVersions): Promise<void> {
    try {
      await this.trips.price(id, expected);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Another request has priced and reserved the trip meanwhile: the next attempt reports its status.
      if (error.code === 'invalid_transition') return;
      if (error.code !== 'component_unavailable') throw error;
      throw conflict('trip_not_priced', 'The trip cannot be priced', error.details);
    }
  }

  private assertNotInProgress({ status, leaseExpiresAt }: Trip): void {
    if (status !== 'reserve_in_progress') return;
    // The lease is the longest a reservation may take; most end within seconds.
    const leftMs = (leaseExpiresAt?.getTime() ?? 0) - this.clock.now().getTime();
    throw inProgress(Math.min(RETRY_AFTER_MS, Math.max(1_000, leftMs)));
  }

  private async lockExpected(id: string, expected: ExpectedVersions): Promise<TripView> {
    const trip = await this.repository.trips.lock(id);
    assertVersion(expected, trip);
    return this.repository.viewOf(trip);
  }

  private publish(what: string, trip: Trip, more: object = {}): void {
    for (const event of eventsOf(trip, what, more)) this.outbox.add(event);
  }
}

function isReleasedInPart(plan: ReservationPlan): boolean {
  return plan.status === 'released' && unreleasedSteps(plan).length > 0;
}

/** The components that were held; they keep their prices. */
function releaseHeld(components: readonly TripComponent[]): TripComponent[] {
  const held = components.filter(({ status }) => status === 'held');
  for (const component of held) component.release('priced');
  return held;
}

function assertReservable({ status }: Trip, components: readonly TripComponent[]): void {
  if (['failed', 'expired', 'reserved'].includes(status)) {
    const componentIds = components.map(({ id }) => id);
    throw conflict('trip_not_priced', `A trip that is ${status} must be priced again first`, { componentIds });
  }
  const isOpen = status === 'draft' || status === 'priced';
  if (isOpen && components.length > 0) return;
  const message = isOpen ? 'The trip has no component' : `A trip that is ${status} cannot be reserved`;
  throw conflict('trip_not_reservable', message, { status });
}

function assertComplete(trip: Trip, components: readonly TripComponent[]): void {
  const missing = missingMembers(trip.travelerParty);
  if (missing.length > 0) {
    throw conflict('traveler_party_incomplete', 'The traveler party is incomplete', { missing });
  }
  const unconfirmed = components.filter((one) => one.kind === 'manual_placeholder' && !one.confirmedByStaff);
  if (unconfirmed.length > 0) {
    const componentIds = unconfirmed.map(({ id }) => id);
    throw conflict('component_not_confirmed', 'Staff have not confirmed every manual component', { componentIds });
  }
}

/** The billing contact is the customer. */
function saleOf({ currency, travelerParty }: Trip, held: readonly TripComponent[]): TripSale {
  const billing = travelerParty?.billing;
  return {
    currency,
    customerName: billing?.name ?? '',
    customerEmail: billing?.email ?? null,
    components: held.map((component): ComponentSale => ({
      type: component.kind === 'catalog_booking' ? 'unit' : 'service',
      title: component.title,
      quantity: component.quantity,
      totalCents: component.totalCents ?? 0,
      taxIncludedCents: component.taxCents ?? 0,
      serviceDate: component.serviceDate,
      departureId: component.departureId,
      isExternal: !component.isInternal(),
    })),
  };
}
