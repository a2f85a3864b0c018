import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { InternalProvider } from '../providers/internal-provider.js';
import { INTERNAL_SECONDS, type Quote, type Rejection } from '../providers/provider.js';
import {
  firstExpiryOf,
  internalSteps,
  isUnfinished,
  markReleasing,
  movePlan,
  moveStep,
  moveToHeld,
  moveToRejected,
  newPlan,
  nextAction,
  reservationFailed,
  type ReservationPlan,
  type ReservationStep,
  showFailures,
  showHolds,
} from '../envelopes/reservation-plan.js';
import { TripAttentionsService } from './trip-attentions.service.js';
import { changeOf, eventsOf } from '../envelopes/trip-audit.js';
import type { TripComponent } from '../envelopes/trip-component.entity.js';
import { applyQuotes, reservationErrorOf, sumOf } from '../envelopes/trip-prices.js';
import type { Trip, TripView } from '../envelopes/trip.entity.js';
import { TripsRepository } from '../envelopes/trips.repository.js';

/** Calls the external providers of all steps that are due. */
export const ORDERS_JOB = 'trips.orders';
const FIRST_LOOKUP_SECONDS = 60;

/** The reason why the component of an abandoned step is unavailable. */
const OUTCOME_UNKNOWN: Rejection = {
  code: 'outcome_unknown',
  message: 'The provider did not report whether it holds the component',
};

/**
 * Internal holds were rejected after they had been sent as held: the transaction is rolled back and run again with these
 * rejections, which are valid only for the same version of the trip.
 */
export class HoldsRejected extends Error {
  constructor(
    readonly tripVersion: number,
    readonly byComponent: ReadonlyMap<string, Rejection>,
  ) {
    super('Internal holds were rejected');
  }
}

/** The locked trip in progress with its active components, new quotes for them, and its audit snapshot before the change. */
interface Attempt {
  trip: Trip;
  components: TripComponent[];
  quotes: ReadonlyMap<string, Quote>;
  before: object;
  rejected: HoldsRejected | null;
}

/** A stored result; `error` is thrown after the commit. */
export interface Attempted {
  view: TripView;
  error: AppError | null;
}

export type PlannedView = TripView & { plan: ReservationPlan };

/**
 * Runs the transactions that begin and end an attempt to reserve a trip. With the trip locked, they change it, its components
 * and its plan together. `ReservationSaga` calls the external providers in between.
 */
@Injectable()
export class ReservationAttempts {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly internal: InternalProvider,
    private readonly attentions: TripAttentionsService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a transaction that calls `attempt`, and repeats it with the rejections if internal holds were rejected. It must be the
   * outermost transaction, because the first run has to be rolled back.
   */
  async attempting<T>(
    work: (rejected: HoldsRejected | null) => Promise<T>,
    rejected: HoldsRejected | null = null,
  ): Promise<T> {
    try {
      return await this.database.transaction(() => work(rejected));
    } catch (error) {
      if (!(error instanceof HoldsRejected)) throw error;
      return this.attempting(work, error);
    }
  }

  /**
   * Runs the one transaction that every reservation has: it compares prices, creates the plan and holds its internal steps.
   * Without external steps the trip is then reserved; otherwise the plan is `running`, and `run` continues it.
   */
  async attempt({ trip, components, quotes, before, rejected }: Attempt): Promise<Attempted> {
    const now = this.clock.now();
    const previous = Object.fromEntries(components.map(({ id, totalCents }) => [id, totalCents]));
    const outcome = applyQuotes(components, quotes, trip.currency);
    trip.setPrices(sumOf(components), now);
    const error = reservationErrorOf(outcome, trip.currency);
    if (error) {
      trip.moveTo('priced', now);
      const view = { trip, components, plan: null };
      await this.repository.save(view);
      this.ledger.record('trips.trip.price', changeOf(trip, before, { refusal: error.code, previous }));
      return { view, error };
    }

    const holdExpiresAt = this.clock.inSeconds(INTERNAL_SECONDS);
    const view = { trip, components, plan: newPlan(trip.id, components, { quotes, now }) };
    if (rejected?.tripVersion === trip.version) {
      moveToRejected(view.plan, rejected.byComponent, holdExpiresAt);
      await this.saveFailed(view, before);
      return { view, error: reservationFailed(view.plan) };
    }
    for (const step of internalSteps(view.plan)) moveToHeld(step, holdExpiresAt);
    showHolds(view.plan, components);
    if (nextAction(view.plan).name === 'complete') this.complete(view);
    await this.saveAndHold(view);
    if (trip.status === 'reserved') this.recordReserved(view, before);
    return { view, error: null };
  }

  /** Every step is held: the trip is reserved. */
  async reserve(view: PlannedView, before: object): Promise<void> {
    this.complete(view);
    await this.repository.save(view);
    this.recordReserved(view, before);
  }

  /** All external holds are released, or left to a job. */
  async fail(view: PlannedView, before: object): Promise<void> {
    await this.releaseInternal(view.plan);
    for (const step of view.plan.steps) await this.leave(view.trip, step);
    await this.saveFailed(view, before);
  }

  /**
   * Ends the attempt of a locked trip: internal holds are released now, external ones by a job, and unknown ones are looked up
   * later. From now on, a process that still works on it is rejected.
   */
  async abandon({ trip, components: all, plan }: TripView, reason: string): Promise<void> {
    const before = trip.auditImage();
    const now = this.clock.now();
    const components = all.filter((one) => one.isActive());
    if (plan && isUnfinished(plan)) {
      await this.releaseInternal(plan);
      markReleasing(plan, now);
      for (const step of plan.steps) await this.leave(trip, step);
      movePlan(plan, 'failed');
      showFailures(plan, components);
    }
    trip.abandon(now);
    await this.repository.save({ trip, components, plan });
    await this.jobs.add(ORDERS_JOB, {}, { key: ORDERS_JOB });
    this.ledger.record('trips.trip.abandon', { ...changeOf(trip, before, { planId: plan?.id ?? null }), reason });
    this.publish('reservation_failed', trip, { planId: plan?.id ?? null });
  }

  /** Releases the internal holds in the caller's transaction. */
  async releaseInternal(plan: ReservationPlan): Promise<void> {
    for (const step of internalSteps(plan).filter(({ status }) => status === 'held')) {
      await this.internal.release(step.offer);
      moveStep(step, 'released');
    }
  }

  private complete({ trip, plan }: PlannedView): void {
    trip.reserve(firstExpiryOf(plan), this.clock.now());
    movePlan(plan, 'held');
  }

  private recordReserved({ trip, plan: { id: planId } }: PlannedView, before: object): void {
    const holdExpiresAt = trip.holdExpiresAt?.toISOString() ?? null;
    this.ledger.record('trips.trip.reserve', changeOf(trip, before, { planId }));
    this.publish('reserved', trip, { planId, holdExpiresAt });
  }

  /** The job of due steps finishes steps whose attempt has ended. */
  private async leave(trip: Trip, step: ReservationStep): Promise<void> {
    const { status } = step;
    if (status === 'dispatching' || status === 'unknown') {
      const unknownSince = step.unknownSince ?? this.clock.now();
      const dueAt = this.clock.inSeconds(FIRST_LOOKUP_SECONDS);
      moveStep(step, 'abandoned', { failure: OUTCOME_UNKNOWN, unknownSince, dueAt });
      await this.attentions.raise(trip, step, 'provider_outcome_unknown');
    }
    if (status === 'releasing' || status === 'release_failed') step.dueAt = this.clock.now();
    if (status === 'release_failed') await this.attentions.raise(trip, step, 'release_failed');
  }

  private async saveFailed(view: PlannedView, before: object): Promise<void> {
    const { trip, components, plan } = view;
    movePlan(plan, 'failed');
    showFailures(plan, components);
    trip.moveTo('failed', this.clock.now());
    await this.repository.save(view);
    this.ledger.record('trips.trip.fail_reservation', changeOf(trip, before, { planId: plan.id }));
    this.publish('reservation_failed', trip, { planId: plan.id });
  }

  /**
   * Saves the trip with its internal steps as held, and then holds them, in one round trip: a departure in demand is locked
   * only from the last of these statements to the commit. Throws `HoldsRejected`; the transaction must not be committed then.
   */
  private async saveAndHold(view: PlannedView): Promise<void> {
    const tripVersion = view.trip.version;
    const rejected = new Map<string, Rejection>();
    const sent = this.database.together(() => [
      this.repository.save(view),
      ...internalSteps(view.plan).map(async ({ componentId, offer }) => {
        try {
          await this.internal.hold(offer);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          rejected.set(componentId, { code: error.code, message: error.message });
        }
      }),
    ]);
    await Promise.all(sent);
    if (rejected.size > 0) throw new HoldsRejected(tripVersion, rejected);
  }

  private publish(what: string, trip: Trip, more: object): void {
    for (const event of eventsOf(trip, what, more)) this.outbox.add(event);
  }
}
