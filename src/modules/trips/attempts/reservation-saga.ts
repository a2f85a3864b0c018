import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type Deadline, ExternalProvidersService } from '../providers/external-providers.service.js';
import { InternalProvider } from '../providers/internal-provider.js';
import {
  isUnfinished,
  markReleasing,
  moveByResult,
  movePlan,
  moveStep,
  nextAction,
  reservationFailed,
  type ReservationPlan,
  type ReservationStep,
  type SagaAction,
  showHolds,
  stepOf,
} from '../envelopes/reservation-plan.js';
import type { TripComponent } from '../envelopes/trip-component.entity.js';
import { type PlannedView, ReservationAttempts } from './reservation-attempts.service.js';
import { quotePending } from '../envelopes/trip-prices.js';
import { changeOf } from '../envelopes/trip-audit.js';
import type { TripView } from '../envelopes/trip.entity.js';
import { TripsRepository } from '../envelopes/trips.repository.js';

/** The job that ends or continues a reservation whose request ran out of time. */
export const RECOVER_JOB = 'trips.reservations.recover';

/** The duration of a claim; each transaction renews it. */
export const LEASE_SECONDS = 60;
export const RETRY_AFTER_MS = 5_000;
/** An unknown outcome is looked up less and less often. */
const LONGEST_PAUSE_MS = 60_000;
/** The part of the request deadline after which a reservation continues without its request. */
const ANSWERED_SHARE = 0.9;

/** The right to continue a reservation. A process that takes the trip over gets a higher token. */
export interface Claim {
  tripId: string;
  token: number;
}

/** Another process has taken over the trip; the state in this process is out of date. */
class ClaimLost extends Error {}

/** Executes reservation plans; `reservation-plan.ts` has their states and decides the next action. */
@Injectable()
export class ReservationSaga {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly internal: InternalProvider,
    private readonly external: ExternalProvidersService,
    private readonly attempts: ReservationAttempts,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Continues a reservation with only a stored claim: asks external providers for prices, then for holds. If a provider takes
   * longer than a request, the response is 409 `reservation_in_progress`, and the reservation continues.
   */
  async run(claim: Claim): Promise<TripView> {
    const deadline = this.external.deadline();
    return this.answerInTime(
      this.open(claim).then(async (plan) => this.carryOut(claim, plan, deadline)),
      claim.tripId,
    );
  }

  /**
   * Returns the result of the work. If the request's deadline comes first, throws 409 `reservation_in_progress` and the work
   * continues.
   */
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
   * Takes over a reservation whose lease has expired, and ends it. If nothing was held yet, the trip is priced again. Returns
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
      // A failed reservation has also ended.
      if (error instanceof AppError) return error.code !== 'reservation_in_progress';
      throw error;
    }
  }

  /** External prices are requested without a transaction; meanwhile the claim prevents other changes of the trip. */
  private async open(claim: Claim): Promise<ReservationPlan> {
    const { components } = await this.repository.getView(claim.tripId);
    const external = components.filter((one) => one.isActive() && !one.isInternal());
    const { quotes: externalQuotes, pendingIds } = await this.external.quote(external.map((one) => one.quoteRequest()));
    if (pendingIds.length > 0) return this.waitForQuotes(claim, pendingIds);
    const { view, error } = await this.attempts.attempting(async (rejected) => {
      const { trip, components: active } = await this.lockClaimed(claim);
      const before = { ...trip.auditImage(), status: 'priced' };
      const internal = active.filter((one) => one.isInternal());
      const quotes = new Map([
        ...externalQuotes,
        ...(await this.internal.quote(
          internal.map((one) => one.quoteRequest()),
          trip.customerId,
        )),
      ]);
      return this.attempts.attempt({ trip, components: active, quotes, before, rejected });
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

  /** Performs actions until the plan is held, failed or handed over. */
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
          return this.end(claim, async (view, before) => this.attempts.reserve(view, before));
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
          const { plan: failed } = planOf(
            await this.end(claim, async (view, before) => this.attempts.fail(view, before)),
          );
          throw reservationFailed(failed);
        }
      }
    }
  }

  /** Afterwards the step is held or failed. If the outcome is unknown at the deadline, the reservation stays in progress. */
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
    // A process that continues the reservation looks the step up with growing pauses.
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

  /** The outcome of the step is unknown: a job or the sweeper continues the reservation. */
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
}

/** Creates a 409: components of the trip are being reserved; the reservation will have ended by this time. */
export function inProgress(retryAfterMs = RETRY_AFTER_MS): AppError {
  return new AppError(409, 'reservation_in_progress', 'The reservation is in progress', { retryAfterMs });
}

function planOf(view: TripView): PlannedView {
  const { plan } = view;
  if (!plan) throw new Error(`${view.trip.id} is reserved without a plan`);
  return { ...view, plan };
}
