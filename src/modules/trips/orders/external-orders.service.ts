import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { TripSalesService } from '../../bookings/index.js';
import { ExternalProvidersService } from '../providers/external-providers.service.js';
import type { Cancellation, OrderState, Rejection } from '../providers/provider.js';
import { moveStep, type ReservationPlan, type ReservationStep, stepOf } from '../envelopes/reservation-plan.js';
import { ORDERS_JOB } from '../attempts/reservation-attempts.service.js';
import { TripAttentionsService } from '../attempts/trip-attentions.service.js';
import { changeOf, componentChangeOf, eventsOf } from '../envelopes/trip-audit.js';
import type { TripComponent } from '../envelopes/trip-component.entity.js';
import type { Trip, TripView } from '../envelopes/trip.entity.js';
import { TripsRepository } from '../envelopes/trips.repository.js';

/** Pauses between calls to confirm or to cancel, in minutes: eight calls within 24 hours. */
const CALL_PAUSES_MINUTES = [1, 5, 30, 120, 240, 420, 624];
const MAX_CALLS = CALL_PAUSES_MINUTES.length + 1;
const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;
const FIRST_RELEASE_PAUSE_MS = 5_000;
/** The time for which abandoned steps are looked up. */
const LOOKED_UP_MS = 7 * 24 * 60 * MINUTE_MS;
/** During this time no other process calls the provider of a claimed step. */
const CLAIM_SECONDS = 120;
const BATCH = 100;
const LANES = 8;
const NO_ANSWER: Rejection = { code: 'no_answer', message: 'The provider did not respond' };

/** A step with its component and trip, which is locked. */
export interface Settled {
  trip: Trip;
  plan: ReservationPlan;
  step: ReservationStep;
  /** Null if it was removed. */
  component: TripComponent | null;
}

type Settlement = (settled: Settled) => Promise<void>;

/**
 * Confirms, releases, cancels and looks up orders at external providers after their reservation. The due time is stored with
 * the step, so that any process can call the provider; the key of the step makes each call repeatable. Nine dependencies: an
 * answer changes step, component, booking item and attention together.
 */
@Injectable()
export class ExternalOrdersService {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly external: ExternalProvidersService,
    private readonly attentions: TripAttentionsService,
    private readonly sales: TripSalesService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Calls the providers of steps that are due, several at a time, until none is due. */
  async settleDue(): Promise<void> {
    for (let claimed = 1; claimed > 0;) {
      const ids = await this.repository.claimDueSteps(this.clock.inSeconds(CLAIM_SECONDS), BATCH);
      claimed = ids.length;
      const left = ids.values();
      const lane = async (): Promise<void> => {
        for (const id of left) await this.settle(id);
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    }
  }

  /**
   * Calls the provider of the step and stores the response. Does nothing if the step changes in the meantime, or needs no call.
   */
  async settle(stepId: string): Promise<void> {
    const known = await this.repository.planOfStep(stepId);
    const step = known && stepOf(known, stepId);
    const settlement = step && (await this.call(step));
    if (!settlement) return;
    await this.change(stepId, async (settled) => {
      if (settled.step.status !== step.status) return;
      settled.step.attempts += 1;
      await settlement(settled);
    });
  }

  /**
   * Changes a step, its component and its trip under the trip's lock, after a response of the provider or a decision of staff.
   */
  async change(stepId: string, change: Settlement): Promise<TripView> {
    return this.database.transaction(async () => {
      const known = await this.repository.planOfStep(stepId);
      if (!known) throw notFound();
      const trip = await this.repository.trips.lock(known.envelopeId);
      const plan = (await this.repository.planOfStep(stepId)) ?? known;
      const step = stepOf(plan, stepId);
      const components = await this.repository.componentsOf(trip.id);
      const component = components.find(({ id }) => id === step.componentId) ?? null;
      const [before, flagged] = [component?.status, trip.attention];
      await change({ trip, plan, step, component });
      await this.repository.savePlan(plan);
      if (component && component.status !== before) await this.repository.saveComponents([component], plan.id);
      // A replacement that was not held is removed here.
      const isOver =
        trip.status === 'booked' && components.every(({ status }) => status === 'cancelled' || status === 'removed');
      if (isOver) this.cancelTrip(trip, 'All components are cancelled');
      if (trip.attention !== flagged || isOver) await this.repository.trips.update(trip);
      return this.repository.viewOf(trip);
    });
  }

  /**
   * Cancels the orders of booked components of a locked trip with its booking, and the trip itself with `wholeTrip`. A job
   * cancels the orders at external providers.
   */
  async cancel(trip: Trip, components: readonly TripComponent[], wholeTrip: { reason: string } | null): Promise<void> {
    const plan = await this.repository.lastPlan(trip.id);
    if (!plan) throw new Error(`${trip.id} is booked without a plan`);
    const before = trip.auditImage();
    for (const component of components) {
      const image = component.auditImage();
      const step = plan.steps.find(({ componentId }) => componentId === component.id);
      if (step) await this.cancelStep(trip, step, component);
      this.recordCancelled(trip, component, image);
    }
    await this.repository.savePlan(plan);
    await this.repository.saveComponents(components, plan.id);
    const all = await this.repository.componentsOf(trip.id);
    const isOver = wholeTrip !== null || all.every(({ status }) => status === 'cancelled');
    if (isOver) this.cancelTrip(trip, wholeTrip?.reason ?? 'All components are cancelled', before);
    else trip.updatedAt = this.clock.now();
    await this.repository.trips.update(trip);
    await this.jobs.add(ORDERS_JOB, {}, { key: ORDERS_JOB });
  }

  /** Reinstating an item does not reinstate its order; staff must rebook the service. */
  async reportEnded(trip: Trip, reinstatedItemIds: ReadonlySet<string>): Promise<void> {
    const steps = (await this.repository.lastPlan(trip.id))?.steps ?? [];
    for (const component of await this.repository.componentsOf(trip.id)) {
      if (component.isInternal() || !reinstatedItemIds.has(component.bookingItemId ?? '')) continue;
      const step = steps.find(({ componentId }) => componentId === component.id);
      if (step) await this.attentions.raise(trip, step, 'order_not_reinstated');
    }
    if (trip.attention) await this.repository.trips.update(trip);
  }

  /** An item that was reinstated, or all of them, is cancelled again: nothing is left to arrange. */
  async settleReinstated(trip: Trip, itemId: string | null): Promise<void> {
    if (!trip.attention) return;
    const components = await this.repository.componentsOf(trip.id);
    const ofItem = components.filter(({ bookingItemId }) => itemId === null || bookingItemId === itemId);
    const settled = await this.attentions.settleReinstated(trip, new Set(ofItem.map(({ id }) => id)));
    if (settled > 0) await this.repository.trips.update(trip);
  }

  private async cancelStep(trip: Trip, step: ReservationStep, component: TripComponent): Promise<void> {
    await this.attentions.settle(trip, step.id);
    if (component.isInternal() || step.status === 'confirm_failed') {
      moveStep(step, 'cancelled');
      component.cancelOrder(null);
    } else {
      moveStep(step, 'cancelling', { dueAt: this.clock.now() });
      component.status = 'cancelling';
    }
  }

  private cancelTrip(trip: Trip, reason: string, before = trip.auditImage()): void {
    trip.cancel(reason, this.clock.now());
    this.ledger.record('trips.trip.cancel', { ...changeOf(trip, before), reason });
    for (const event of eventsOf(trip, 'cancelled')) this.outbox.add(event);
  }

  /** Calls the provider as the status requires. Returns how to store the response; null if no call is due. */
  private async call(step: ReservationStep): Promise<Settlement | null> {
    switch (step.status) {
      case 'releasing':
      case 'release_failed': {
        const isReleased = await this.external.release(step);
        return async (settled) => this.storeRelease(settled, isReleased);
      }
      case 'confirming': {
        const confirmation = await this.external.confirm(step);
        if (confirmation === 'unknown') return async (settled) => this.storeSilence(settled);
        return async (settled) => this.storeConfirmation(settled, confirmation);
      }
      case 'cancelling': {
        const cancellation = await this.external.cancel(step);
        return async (settled) => this.storeCancellation(settled, cancellation);
      }
      case 'abandoned': {
        const found = await this.external.lookup(step);
        // The request may still arrive. A released key can no longer be held.
        const isGone = found === null && (await this.external.release(step));
        return async (settled) => this.storeLookup(settled, isGone ? 'gone' : (found ?? 'unknown'));
      }
      case 'dispatching':
        // Only a replacement has a due time then, and the process that made it has ended.
        return async ({ trip, step: stored, component }) => {
          moveStep(stored, 'abandoned', {
            unknownSince: this.clock.now(),
            dueAt: this.clock.now(),
            failure: NO_ANSWER,
          });
          component?.remove();
          await this.attentions.raise(trip, stored, 'provider_outcome_unknown');
        };
      case 'pending':
      case 'held':
      case 'failed':
      case 'unknown':
      case 'released':
      case 'confirmed':
      case 'confirm_failed':
      case 'confirm_unknown':
      case 'cancelled':
      case 'cancel_failed':
        return null;
    }
  }

  private async storeRelease({ trip, step }: Settled, isReleased: boolean): Promise<void> {
    if (isReleased) {
      moveStep(step, 'released');
      return this.attentions.settle(trip, step.id);
    }
    const tries = step.tries + 1;
    const pauseMs = Math.min(FIRST_RELEASE_PAUSE_MS * 2 ** Math.min(tries, 20), LONGEST_PAUSE_MS);
    moveStep(step, 'release_failed', { tries, dueAt: this.clock.inSeconds(pauseMs / 1_000) });
    await this.attentions.raise(trip, step, 'release_failed');
  }

  private async storeConfirmation({ trip, step, component }: Settled, answer: 'confirmed' | Rejection): Promise<void> {
    if (answer === 'confirmed') {
      moveStep(step, 'confirmed', { failure: null });
      await this.setSupplierStatus(trip, component, 'confirmed');
      return this.attentions.settle(trip, step.id);
    }
    moveStep(step, 'confirm_failed', { failure: answer });
    await this.setSupplierStatus(trip, component, 'refused');
    await this.attentions.raise(trip, step, 'confirmation_refused');
    this.publish(trip, 'confirmation_refused', step);
  }

  private async storeSilence({ trip, step }: Settled): Promise<void> {
    const tries = step.tries + 1;
    if (tries < MAX_CALLS) return moveStep(step, 'confirming', { tries, dueAt: this.nextCall(tries) });
    moveStep(step, 'confirm_unknown', { tries, failure: NO_ANSWER });
    await this.attentions.raise(trip, step, 'confirmation_unknown');
  }

  private async storeCancellation(settled: Settled, cancellation: Cancellation | null): Promise<void> {
    const { trip, step, component } = settled;
    if (cancellation) return this.storeCancelled(settled, cancellation.feeCents);
    const tries = step.tries + 1;
    if (tries < MAX_CALLS) return moveStep(step, 'cancelling', { tries, dueAt: this.nextCall(tries) });
    moveStep(step, 'cancel_failed', { tries, failure: NO_ANSWER });
    if (component) component.status = 'cancel_failed';
    await this.setSupplierStatus(trip, component, 'cancel_failed');
    await this.attentions.raise(trip, step, 'cancellation_failed');
  }

  /** The order has ended at the provider: the provider said so, or staff found out. */
  async storeCancelled({ trip, step, component }: Omit<Settled, 'plan'>, feeCents: number | null): Promise<void> {
    moveStep(step, 'cancelled', { failure: null });
    await this.setSupplierStatus(trip, component, 'cancelled');
    if (!component) return;
    const image = component.auditImage();
    component.cancelOrder(feeCents);
    this.recordCancelled(trip, component, image);
  }

  private async storeLookup({ trip, step }: Settled, found: OrderState | 'unknown' | 'gone'): Promise<void> {
    if (found === 'gone' || (found !== 'unknown' && found.state === 'closed')) {
      moveStep(step, 'released');
      return this.attentions.settle(trip, step.id);
    }
    if (found === 'unknown') {
      const tries = step.tries + 1;
      const now = this.clock.now().getTime();
      const pauseMs = Math.min(MINUTE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS);
      const isLast = now + pauseMs > (step.unknownSince?.getTime() ?? 0) + LOOKED_UP_MS;
      return moveStep(step, 'abandoned', { tries, dueAt: isLast ? null : new Date(now + pauseMs) });
    }
    if (found.state === 'held') {
      moveStep(step, 'releasing', { dueAt: this.clock.now() });
      return;
    }
    await this.attentions.settle(trip, step.id);
    await this.attentions.raise(trip, step, 'provider_order_live');
    step.dueAt = null;
    step.tries += 1;
  }

  /** Copies the status to the booking item that the component was sold as. */
  async setSupplierStatus(trip: Trip, component: TripComponent | null, status: SupplierAnswer): Promise<void> {
    const itemId = component?.bookingItemId ?? null;
    if (trip.bookingId === null || itemId === null) return;
    await this.sales.setSupplierStatus(trip.bookingId, [itemId], status);
  }

  private recordCancelled(trip: Trip, component: TripComponent, before: object): void {
    this.ledger.record('trips.component.cancel', componentChangeOf(component, before));
    if (component.status !== 'cancelled') return;
    const { id: componentId, cancellationFeeCents } = component;
    const more = { componentId, bookingId: trip.bookingId, cancellationFeeCents };
    for (const event of eventsOf(trip, 'component_cancelled', more)) this.outbox.add(event);
  }

  private publish(trip: Trip, what: string, { componentId }: ReservationStep): void {
    for (const event of eventsOf(trip, what, { componentId, bookingId: trip.bookingId })) this.outbox.add(event);
  }

  private nextCall(tries: number): Date {
    return this.clock.inSeconds((CALL_PAUSES_MINUTES[tries - 1] ?? 0) * 60);
  }
}

type SupplierAnswer = 'none' | 'pending' | 'confirmed' | 'refused' | 'cancelled' | 'cancel_failed';
