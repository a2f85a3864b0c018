import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type Deadline, ExternalProvidersService } from '../providers/external-providers.service.js';
import { InternalProvider } from '../providers/internal-provider.js';
import { INTERNAL_SECONDS, type Quote, type Rejection } from '../providers/provider.js';
import {
  firstExpiryOf,
  internalSteps,
  isUnfinished,
  markReleasing,
  moveByResult,
  movePlan,
  moveStep,
  moveToHeld,
  moveToRejected,
  newPlan,
  nextAction,
  reservationFailed,
  type ReservationPlan,
  type ReservationStep,
  type SagaAction,
  showFailures,
  showHolds,
  stepOf,
} from './reservation-plan.js';
import type { TripComponent } from './trip-component.entity.js';
import { TripAttentionsService } from './trip-attentions.service.js';
import { applyQuotes, quotePending, reservationErrorOf, sumOf } from './trip-prices.js';
import { changeOf, eventsOf } from './trip-audit.js';
import type { Trip, TripView } from './trip.entity.js';
import { TripsRepository } from './trips.repository.js';

/** Ends or continues a reservation whose request ran out of time. */
export const RECOVER_JOB = 'trips.reservations.recover';
/** Calls the external providers of all steps that are due. */
export const ORDERS_JOB = 'trips.orders';

/** How long a claim lasts; each transaction renews it. */
export const LEASE_SECONDS = 60;
export const RETRY_AFTER_MS = 5_000;
/** An unknown outcome is looked up less and less often. */
const LONGEST_PAUSE_MS = 60_000;
const FIRST_LOOKUP_SECONDS = 60;
/** The part of the request deadline after which a reservation continues without its request. */
const ANSWERED_SHARE = 0.9;

/** The right to continue a reservation. A process that takes the trip over gets a higher token. */
export interface Claim {
  tripId: string;
  token: number;
}

/** Why the component of an abandoned step is unavailable. */
const OUTCOME_UNKNOWN: Rejection = {
  code: 'outcome_unknown',
  message: 'The provider did not report whether it holds the component',
};

/** Another process has taken over the trip; the state in this process is out of date. */
class ClaimLost extends Error {}

/**
 * Internal holds were rejected after they had been sent as held: the transaction is rolled back and run again with this
 * knowledge, which is valid only for the version of the trip that it was made with.
 */
export class HoldsRejected extends Error {
  constructor(
    readonly tripVersion: number,
    readonly byComponent: ReadonlyMap<string, Rejection>,
  ) {
    super('Internal holds were rejected');
  }
}

/**
 * The trip locked and in progress, its active components, new quotes for them, and its audit snapshot before the change.
 */
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

type PlannedView = TripView & { plan: ReservationPlan };

/** Executes reservation plans; `reservation-plan.ts` has their states and decides the next action. */
@Injectable()
export class ReservationSaga {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly internal: InternalProvider,
    private readonly external: ExternalProvidersService,
    private readonly attentions: TripAttentionsService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Runs a transaction that calls `attempt`, a second time with the rejections if internal holds were rejected. It must be
   * the outermost transaction, because the first run has to be rolled back.
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
   * The part of every reservation that is one transaction: compares prices, creates the plan and holds its internal steps.
   * Without external steps the trip is reserved then; otherwise the plan is `running`, and `run` continues it.
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

  /**
   * Continues a claimed reservation of which only the claim is stored: asks external providers for prices, then for holds. A
   * provider may take longer than a request: then the answer is 409 `reservation_in_progress`, and the reservation continues.
   */
  async run(claim: Claim): Promise<TripView> {
    const deadline = this.external.deadline();
    return this.answerInTime(
      this.open(claim).then(async (plan) => this.carryOut(claim, plan, deadline)),
      claim.tripId,
    );
  }

  /** The result of the work, or 409 `reservation_in_progress` before the deadline of the request: then the work continues. */
  async answerInTime<T>(work: Promise<T>, tripId: string): Promise<T> {
    const answered = new AbortController();
    const limitMs = this.env.requestDeadlineMs * ANSWERED_SHARE;
    const late = pause(limitMs, undefined, { signal: answered.signal }).then(() => {
      throw inProgress();
    });
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      if (error instanceof ClaimLost) throw inProgress();
      throw error;
    } finally {
      answered.abort();
      late.catch(() => undefined);
      work.catch((error: unknown) => {
        if (error instanceof AppError || error instanceof ClaimLost) return;
        this.log.error({ err: error, tripId }, 'A reservation is left to the sweeper');
      });
    }
  }

  /**
   * Ends the attempt of a locked trip: internal holds are released now, external ones by a job, and unknown ones are looked up
   * later. A process that works on it is rejected from now on.
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

  /**
   * Takes over a reservation whose lease has expired, and ends it. Before anything was held the trip is priced again. Returns
   * false if another process continues it, or if its outcome is still unknown.
   */
  async recover(tripId: string): Promise<boolean> {
    const claim = await this.takeOver(tripId);
    if (!claim) return false;
    try {
      const plan = await this.resume(claim);
      if (plan) await this.carryOut(claim, plan, this.external.deadline());
      return true;
    } catch (error) {
      if (error instanceof ClaimLost) return false;
      // A reservation that failed has ended, too.
      if (error instanceof AppError) return error.code !== 'reservation_in_progress';
      throw error;
    }
  }

  /** Releases the internal holds in the caller's transaction. */
  async releaseInternal(plan: ReservationPlan): Promise<void> {
    for (const step of internalSteps(plan).filter(({ status }) => status === 'held')) {
      await this.internal.release(step.offer);
      moveStep(step, 'released');
    }
  }

  /** External prices are requested without a transaction; the claim prevents other changes of the trip meanwhile. */
  private async open(claim: Claim): Promise<ReservationPlan> {
    const { components } = await this.repository.getView(claim.tripId);
    const external = components.filter((one) => one.isActive() && !one.isInternal());
    const { quotes: externalQuotes, pendingIds } = await this.external.quote(external.map((one) => one.quoteRequest()));
    if (pendingIds.length > 0) return this.waitForQuotes(claim, pendingIds);
    const { view, error } = await this.attempting(async (rejected) => {
      const { trip, components: active } = await this.lockClaimed(claim);
      const before = { ...trip.auditImage(), status: 'priced' };
      const internal = active.filter((one) => one.isInternal());
      const quotes = new Map([
        ...externalQuotes,
        ...(await this.internal.quote(internal.map((one) => one.quoteRequest()))),
      ]);
      return this.attempt({ trip, components: active, quotes, before, rejected });
    });
    if (error) throw error;
    return planOf(view).plan;
  }

  /** The trip is priced as before. */
  private async waitForQuotes(claim: Claim, pendingIds: readonly string[]): Promise<never> {
    await this.database.transaction(async () => {
      const { trip } = await this.lockClaimed(claim);
      const before = { ...trip.auditImage(), status: 'priced' };
      trip.moveTo('priced', this.clock.now());
      await this.repository.trips.update(trip);
      this.ledger.record('trips.trip.price', changeOf(trip, before, { refusal: 'quote_pending' }));
    });
    throw quotePending(pendingIds);
  }

  /** Performs one action after the other until the plan is held, failed or handed over. */
  private async carryOut(claim: Claim, opened: ReservationPlan, deadline: Deadline): Promise<TripView> {
    let plan = opened;
    for (;;) {
      const action = nextAction(plan);
      switch (action.name) {
        case 'hold':
        case 'find':
          plan = await this.hold(claim, action, deadline);
          break;
        case 'complete':
          return this.end(claim, async (view, before) => {
            this.complete(view);
            await this.repository.save(view);
            this.recordReserved(view, before);
          });
        case 'compensate':
          plan = await this.change(claim, (stored) => {
            movePlan(stored, 'compensating');
            markReleasing(stored, null);
          });
          break;
        case 'release':
          plan = await this.releaseCompensated(claim, action.step);
          break;
        case 'fail': {
          const { plan: failed } = planOf(await this.end(claim, async (view, before) => this.fail(view, before)));
          throw reservationFailed(failed);
        }
      }
    }
  }

  /** Afterwards the step is held or failed. Throws 409 `reservation_in_progress` if that is unknown at the deadline. */
  private async hold(
    claim: Claim,
    { name, step }: SagaAction & { name: 'hold' | 'find' },
    deadline: Deadline,
  ): Promise<ReservationPlan> {
    if (name === 'hold') {
      await this.change(claim, (plan) => {
        const pending = stepOf(plan, step.id);
        moveStep(pending, 'dispatching', { attempts: pending.attempts + 1 });
      });
    }
    // A process that continues the reservation looks the step up once, and again with growing pauses.
    const result = await (name === 'hold'
      ? this.external.hold(step, deadline)
      : this.external.find(step, performance.now()));
    if (result === null) return this.handOver(claim, step.id);
    return this.change(claim, (plan, components) => {
      moveByResult(stepOf(plan, step.id), result);
      showHolds(plan, components);
    });
  }

  private async releaseCompensated(claim: Claim, step: ReservationStep): Promise<ReservationPlan> {
    const isReleased = await this.external.release(step);
    return this.change(claim, (plan) => {
      const releasing = stepOf(plan, step.id);
      moveStep(releasing, isReleased ? 'released' : 'release_failed', { attempts: releasing.attempts + 1 });
    });
  }

  /** The outcome of the step is unknown: a job continues the reservation, or the sweeper. */
  private async handOver(claim: Claim, unknownStepId: string): Promise<never> {
    await this.database.transaction(async () => {
      const view = await this.lockClaimed(claim);
      const step = stepOf(planOf(view).plan, unknownStepId);
      const now = this.clock.now();
      const unknownSince = step.unknownSince ?? now;
      moveStep(step, 'unknown', { unknownSince, tries: step.tries + 1 });
      const unknownMs = now.getTime() - unknownSince.getTime();
      const pauseMs = Math.max(RETRY_AFTER_MS, Math.min(unknownMs / 4, LONGEST_PAUSE_MS));
      view.trip.leaseExpiresAt = this.clock.inSeconds(pauseMs / 1000);
      await this.repository.save(view);
      await this.jobs.add(RECOVER_JOB, { tripId: claim.tripId }, { runAt: view.trip.leaseExpiresAt });
    });
    throw inProgress();
  }

  private async takeOver(tripId: string): Promise<Claim | null> {
    return this.database.transaction(async () => {
      const trip = await this.repository.trips.lock(tripId);
      if (trip.leaseExpiresAt === null || trip.leaseExpiresAt > this.clock.now()) return null;
      trip.lease(this.clock.inSeconds(LEASE_SECONDS));
      await this.repository.trips.update(trip);
      return { tripId, token: trip.fencingToken };
    });
  }

  /** Returns the unfinished plan; null if there was none, and the trip is priced again. */
  private async resume(claim: Claim): Promise<ReservationPlan | null> {
    return this.database.transaction(async () => {
      const { trip, plan } = await this.lockClaimed(claim);
      if (plan && isUnfinished(plan)) return plan;
      const before = trip.auditImage();
      trip.moveTo('priced', this.clock.now());
      await this.repository.trips.update(trip);
      this.ledger.record('trips.trip.recover', changeOf(trip, before));
      return null;
    });
  }

  /** Changes the stored plan, and returns it. */
  private async change(
    claim: Claim,
    change: (plan: ReservationPlan, components: TripComponent[]) => void,
  ): Promise<ReservationPlan> {
    return this.database.transaction(async () => {
      const view = planOf(await this.lockClaimed(claim));
      change(view.plan, view.components);
      await this.repository.save(view);
      return view.plan;
    });
  }

  private async end(claim: Claim, end: (view: PlannedView, before: object) => Promise<void>): Promise<TripView> {
    return this.database.transaction(async () => {
      const view = planOf(await this.lockClaimed(claim));
      await end(view, view.trip.auditImage());
      return view;
    });
  }

  /** Locks the trip and reads its active components and its plan. Throws `ClaimLost`. */
  private async lockClaimed({ tripId, token }: Claim): Promise<TripView> {
    const view = await this.repository.lockView(tripId);
    const { trip, components } = view;
    if (trip.status !== 'reserve_in_progress' || trip.fencingToken !== token) throw new ClaimLost();
    trip.leaseExpiresAt = this.clock.inSeconds(LEASE_SECONDS);
    return { ...view, components: components.filter((one) => one.isActive()) };
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

  private async fail(view: PlannedView, before: object): Promise<void> {
    await this.releaseInternal(view.plan);
    for (const step of view.plan.steps) await this.leave(view.trip, step);
    await this.saveFailed(view, before);
  }

  /** What is left of a step whose attempt has ended is done by the job of due steps. */
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

/** 409: another process reserves the trip, and will have finished or given up by then. */
export function inProgress(retryAfterMs = RETRY_AFTER_MS): AppError {
  return new AppError(409, 'reservation_in_progress', 'Another request is reserving the trip', { retryAfterMs });
}

function planOf(view: TripView): PlannedView {
  const { plan } = view;
  if (!plan) throw new Error(`${view.trip.id} is reserved without a plan`);
  return { ...view, plan };
}
