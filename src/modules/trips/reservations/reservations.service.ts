import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { assertScope } from '../../../platform/auth/access.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  byReason,
  CompletesReversal,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
} from '../../action-ledger/index.js';
import {
  BookingsService,
  type ComponentSale,
  type ConfirmBooking,
  overridesOf,
  type TripSale,
  TripSalesService,
} from '../../bookings/index.js';
import { CustomersService } from '../../customers/index.js';
import { OrganizationSettingsService } from '../../organization/index.js';
import { InternalProvider } from '../providers/internal-provider.js';
import type { Quote } from '../providers/provider.js';
import {
  externalSteps,
  internalSteps,
  isOverdue,
  markReleasing,
  movePlan,
  moveStep,
  type ReservationPlan,
  unreleasedSteps,
} from '../envelopes/reservation-plan.js';
import {
  type Claim,
  inProgress,
  LEASE_SECONDS,
  ReservationSaga,
  RETRY_AFTER_MS,
} from '../attempts/reservation-saga.js';
import {
  type Attempted,
  type HoldsRejected,
  ORDERS_JOB,
  ReservationAttempts,
} from '../attempts/reservation-attempts.service.js';
import { ExternalOrdersService } from '../orders/external-orders.service.js';
import { missingMembers } from '../envelopes/traveler-party.js';
import type { TripComponent } from '../envelopes/trip-component.entity.js';
import { changeOf, eventsOf } from '../envelopes/trip-audit.js';
import type { Trip, TripView } from '../envelopes/trip.entity.js';
import { TripsRepository } from '../envelopes/trips.repository.js';
import { TripsService } from '../envelopes/trips.service.js';

/** A reservation can be abandoned by staff after this time. */
const MIN_ATTEMPT_MS = 60_000;
/** Number of trips that one sweep recovers concurrently; each waits for a provider. */
const LANES = 4;

/** The reversal releases external holds itself; after this time the sweeper does. */
const REVERSAL_SECONDS = 3_600;

/** The outcome of a reservation's first transaction: a result, a draft without prices, or a claim for the remaining work. */
type Begun = Attempted | { draft: true } | { claim: Claim };

/**
 * Reserves trips, and ends reservations by booking, cancellation, expiry or reversal. It has many dependencies: a draft is priced
 * here first, a trip becomes a booking, and every end is recorded and published.
 */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly trips: TripsService,
    private readonly saga: ReservationSaga,
    private readonly attempts: ReservationAttempts,
    private readonly internal: InternalProvider,
    private readonly orders: ExternalOrdersService,
    private readonly bookings: BookingsService,
    private readonly customers: CustomersService,
    private readonly sales: TripSalesService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly settings: OrganizationSettingsService,
  ) {}

  /**
   * Holds all components of the trip or none. A trip with live holds stays as it is. New prices and rejections are stored
   * even if the call fails.
   */
  async reserve(id: string, expected: ExpectedVersions): Promise<TripView> {
    let begun = await this.attempts.attempting((rejected) => this.begin(id, expected, rejected));
    if ('draft' in begun) {
      await this.priceDraft(id, expected);
      // Pricing raised the version.
      begun = await this.attempts.attempting((rejected) => this.begin(id, null, rejected));
    }
    if ('draft' in begun) {
      throw conflict('trip_not_priced', 'The trip was changed by another request', { componentIds: [] });
    }
    if ('claim' in begun) return this.saga.run(begun.claim);
    if (begun.error) throw begun.error;
    return begun.view;
  }

  /** Turns the trip into a confirmed booking with an item for each component. */
  async book(id: string, expected: ExpectedVersions, confirmation: ConfirmBooking): Promise<TripView> {
    // Rejects a body without a reason before the state of the trip does.
    overridesOf(confirmation);
    return this.database.transaction(async () => {
      // A merge of customers locks them before their trips.
      const customerId = await this.repository.customerOf(id);
      if (customerId !== null) await this.customers.lockLive(customerId);
      const view = await this.lockExpected(id, expected);
      const { trip, components, plan } = view;
      const before = trip.auditImage();
      const { holdExpiresAt } = trip;
      const isLive = trip.isHeldAt(this.clock.now());
      trip.moveTo('booked', this.clock.now());
      // After `moveTo`, which rejects a trip that another request has booked and given a customer.
      if (trip.customerId !== customerId) {
        throw conflict('trip_changed', 'The customer of the trip was changed meanwhile; try again');
      }
      if (!isLive || !plan) {
        throw conflict('hold_expired', 'The hold has expired; price the trip and reserve it again', {
          holdExpiresAt: holdExpiresAt?.toISOString() ?? null,
        });
      }
      const held = components.filter(({ status }) => status === 'held');
      const outdated = held.filter((one) => one.hasOutdatedLines()).map(({ id }) => id);
      if (outdated.length > 0) {
        throw conflict('trip_not_priced', 'The trip must be priced and reserved again', { componentIds: outdated });
      }
      // Runs before the booking, because it locks the departures in the order of their ids.
      await this.confirmAll(plan);
      const sold = await this.sales.sell(saleOf(trip, held), confirmation);
      const { bookingId } = sold;
      held.forEach((component, index) => component.book(sold.itemIds[index] ?? []));
      Object.assign(trip, { bookingId, customerId: sold.customerId });
      await this.repository.save(view);
      this.ledger.record('trips.trip.book', changeOf(trip, before));
      this.publish('booked', trip, { bookingId });
      return view;
    });
  }

  @Undoes('trips.trip.create', { effect: 'trips.trip.cancel', values: byReason })
  async cancel(id: string, reason: string | null, expected: ExpectedVersions): Promise<TripView> {
    return this.database.transaction(async () => {
      const view = await this.lockExpected(id, expected);
      const { trip, components, plan } = view;
      if (trip.status === 'booked') return this.cancelBooked(trip, reason);
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

  /** Ends a reservation that does not end on its own; not within its first minute. */
  async abandon(id: string, reason: string, expected: ExpectedVersions): Promise<TripView> {
    return this.database.transaction(async () => {
      const view = await this.lockExpected(id, expected);
      const { status, reservingSince } = view.trip;
      if (status !== 'reserve_in_progress') {
        throw conflict('not_abandonable', `A trip that is ${status} has no reservation to abandon`, { status });
      }
      const leftMs = (reservingSince?.getTime() ?? 0) + MIN_ATTEMPT_MS - this.clock.now().getTime();
      if (leftMs > 0) throw inProgress(leftMs);
      await this.attempts.abandon(view, reason);
      return this.repository.viewOf(view.trip);
    });
  }

  /** Releases a trip whose holds have expired. Returns false if it no longer has any. */
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
   * Ends the reservation of a trip whose departure is called off: the trip is a draft without prices. Returns null if it holds no
   * units of the departure. Throws 409 `reservation_in_progress` while it is being reserved.
   */
  async unreserve(
    id: string,
    { departureId, reason }: { departureId: string; reason: string },
  ): Promise<{ customerName: string | null; customerEmail: string | null } | null> {
    return this.database.transaction(async () => {
      const { trip, components: all, plan } = await this.repository.lockView(id);
      this.assertNotInProgress(trip);
      const holdsUnits = all.some((one) => one.departureId === departureId && one.status === 'held');
      if (trip.status !== 'reserved' || !holdsUnits) return null;
      const before = trip.auditImage();
      if (plan) await this.releaseAll(plan);
      const components = releaseHeld(all);
      trip.unreserve(this.clock.now());
      await this.repository.save({ trip, components, plan });
      this.ledger.record('trips.trip.update', { ...changeOf(trip, before), reason });
      this.publish('unreserved', trip);
      const billing = trip.travelerParty?.billing;
      return { customerName: billing?.name ?? null, customerEmail: billing?.email ?? null };
    });
  }

  /**
   * Reverses the reservation of the plan that the entry names: internal holds are released, external ones are left to
   * `releaseExternalHolds`, and the trip is a draft without prices. If an earlier reversal already did this, only unreleased
   * external holds remain.
   */
  @Reverses('trips.trip.reserve', { effect: 'trips.trip.update' })
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
      await this.releaseHolds(plan, this.clock.inSeconds(REVERSAL_SECONDS));
      const components = releaseHeld(all);
      trip.unreserve(this.clock.now());
      await this.repository.save({ trip, components, plan });
      this.publish('unreserved', trip);
    }
    return { before, after: trip.auditImage(), isRunning: unreleasedSteps(plan).length > 0 };
  }

  /** Calls every provider, even if an earlier call failed. Throws if one did not release its hold. */
  @CompletesReversal('trips.trip.reserve')
  async releaseExternalHolds({ subjectId, after }: RecordedAction): Promise<void> {
    const plan = await this.repository.lastPlan(subjectId);
    const steps = plan && plan.id === after?.['planId'] ? unreleasedSteps(plan) : [];
    for (const { id } of steps) await this.orders.settle(id);
    const now = steps.length > 0 ? await this.repository.lastPlan(subjectId) : null;
    const left = now?.id === plan?.id && now ? unreleasedSteps(now) : [];
    if (left.length > 0)
      throw new Error(`Not released: ${left.map(({ id, status }) => `${id} (${status})`).join(', ')}`);
  }

  /**
   * Releases expired holds, ends reservations that have reached their limit, continues abandoned ones, and calls the providers
   * of steps that are due. Several processes may sweep at once. Returns how many reservations it ended.
   */
  async sweep(): Promise<number> {
    let ended = 0;
    for (const id of await this.repository.idsWithExpiredHolds()) if (await this.expire(id)) ended += 1;
    const { unknownStepMinutes } = await this.settings.get();
    const limit = this.clock.inSeconds(-60 * unknownStepMinutes);
    for (const id of await this.repository.idsOfOverdueReservations(limit)) {
      if (await this.endOverdue(id, unknownStepMinutes)) ended += 1;
    }
    const abandoned = (await this.repository.idsWithExpiredLease()).values();
    const lane = async (): Promise<void> => {
      for (const id of abandoned) if (await this.saga.recover(id)) ended += 1;
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await this.orders.settleDue();
    return ended;
  }

  /** Requires tax codes if bookings do, because a reserved trip becomes a booking. */
  private async assertCoded(components: readonly TripComponent[]): Promise<void> {
    const componentIds = components.filter((one) => !one.isCoded()).map(({ id }) => id);
    if (componentIds.length === 0 || !(await this.sales.areTaxCodesRequired())) return;
    throw conflict('tax_code_required', 'The accounting settings require a tax code', { componentIds });
  }

  private async begin(id: string, expected: ExpectedVersions, rejected: HoldsRejected | null): Promise<Begun> {
    const [trip, present] = await this.database.together(() =>
      Promise.all([this.repository.trips.lock(id), this.repository.componentsOf(id)]),
    );
    assertVersion(expected, trip);
    if (trip.isHeldAt(this.clock.now())) return { view: await this.repository.viewOf(trip), error: null };
    this.assertNotInProgress(trip);
    const components = present.filter((one) => one.isActive());
    assertReservable(trip, components);
    if (trip.status === 'draft') return { draft: true };
    assertComplete(trip, components);
    // Quotes lock nothing, so they are read together with the settings.
    const [, quotes] = await this.database.together(() =>
      Promise.all([this.assertCoded(components), this.internalQuotes(trip, components)]),
    );

    const before = trip.auditImage();
    trip.startReservation(this.clock.inSeconds(LEASE_SECONDS), this.clock.now());
    if (quotes) {
      return this.attempts.attempt({ trip, components, quotes, before, rejected });
    }
    await this.repository.trips.update(trip);
    return { claim: { tripId: id, token: trip.fencingToken } };
  }

  /** Returns null if an external provider must also be asked; then this transaction quotes nothing. */
  private async internalQuotes(
    { customerId }: Trip,
    components: readonly TripComponent[],
  ): Promise<Map<string, Quote> | null> {
    if (!components.every((one) => one.isInternal())) return null;
    const requests = components.map((one) => one.quoteRequest());
    return this.internal.quote(requests, customerId);
  }

  private async endOverdue(id: string, unknownStepMinutes: number): Promise<boolean> {
    return this.database.transaction(async () => {
      const view = await this.repository.lockView(id);
      const limits = { now: this.clock.now(), limitMs: unknownStepMinutes * 60_000 };
      const { trip, plan } = view;
      if (trip.status !== 'reserve_in_progress' || !plan || !isOverdue(plan, limits)) return false;
      await this.attempts.abandon(view, 'The reservation has reached its time limit');
      return true;
    });
  }

  /** Cancels the booking, which cancels the trip and its orders: see `TripBookingListener`. */
  private async cancelBooked({ id, bookingId }: Trip, reason: string | null): Promise<TripView> {
    assertScope('bookings:write');
    await this.bookings.cancel(bookingId ?? '', { reason: reason ?? 'The trip was cancelled' }, null);
    return this.repository.getView(id);
  }

  /** Releases the internal holds and marks the external ones as `releasing`: they are released after the commit. */
  private async releaseHolds(plan: ReservationPlan, dueAt: Date): Promise<void> {
    await this.attempts.releaseInternal(plan);
    movePlan(plan, 'released');
    markReleasing(plan, dueAt);
  }

  /** Does the same as `releaseHolds`; a job releases the external holds. */
  private async releaseAll(plan: ReservationPlan): Promise<void> {
    await this.releaseHolds(plan, this.clock.now());
    await this.callProviders(plan);
  }

  /** Sells the internal holds; a job confirms the external ones. */
  private async confirmAll(plan: ReservationPlan): Promise<void> {
    for (const step of internalSteps(plan)) {
      await this.internal.confirm(step.offer);
      moveStep(step, 'confirmed');
    }
    for (const step of externalSteps(plan)) moveStep(step, 'confirming', { dueAt: this.clock.now() });
    movePlan(plan, 'booked');
    await this.callProviders(plan);
  }

  private async callProviders(plan: ReservationPlan): Promise<void> {
    if (externalSteps(plan).length > 0) await this.jobs.add(ORDERS_JOB, {}, { key: ORDERS_JOB });
  }

  private async priceDraft(id: string, expected: ExpectedVersions): Promise<void> {
    try {
      await this.trips.price(id, expected);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Another request has since priced and reserved the trip: the next attempt reports its status.
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

/** Without a customer of the trip, the billing contact is the customer. */
function saleOf({ currency, customerId, travelerParty }: Trip, held: readonly TripComponent[]): TripSale {
  const billing = travelerParty?.billing;
  return {
    currency,
    customerId,
    customerName: billing?.name ?? '',
    customerEmail: billing?.email ?? null,
    customerPhone: billing?.phone ?? null,
    customerAddress: billing?.address ?? null,
    travelers: travelerParty?.travelers ?? [],
    components: held.map((component): ComponentSale => ({
      type: component.kind === 'catalog_booking' ? 'unit' : 'service',
      title: component.title,
      quantity: component.quantity,
      totalCents: component.totalCents ?? 0,
      taxIncludedCents: component.taxCents ?? 0,
      taxCodeId: component.taxCodeId,
      serviceDate: component.serviceDate,
      departureId: component.departureId,
      isExternal: !component.isInternal(),
      lines: component.units.length > 0 ? component.lines : [],
    })),
  };
}
