import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { imageOfTrip } from '../envelopes/trip-journal.js';
import { TripRows, type TripView } from '../envelopes/trip-rows.service.js';
import type { Trip } from '../envelopes/trip.entity.js';
import type { Plan } from './plan.js';

/** How long whoever reserves a trip is left alone; every step renews it. */
export const LEASE_SECONDS = 60;
/** Goes on with reservations whose time in a request was over. */
export const RECOVER_JOB = 'trips.reservations.recover';
export const RETRY_AFTER_MS = 5_000;

/** Who reserves a trip: whoever took it over since has a higher token. */
export interface Claim {
  tripId: string;
  token: number;
}

/** Somebody else reserves the trip now; what this one knows counts no more. */
export class Fenced extends Error {}

/** A reservation with providers outside, as it stands between two transactions. */
export type Running = TripView & { plan: Plan };

/** What the last transaction of a reservation adds: what becomes of the trip, and what is told of it once it is stored. */
export interface LastWord {
  change: (running: Running) => Promise<void> | void;
  tell: (running: Running, before: object) => void;
}

/** The books of a running reservation. Every write holds the trip, has the newest token, and renews the lease. */
@Injectable()
export class SagaBook {
  constructor(
    private readonly trips: TripRows,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Throws `Fenced`. */
  async within<T>(claim: Claim, work: (trip: Trip) => Promise<T>): Promise<T> {
    return this.trips.within(async () => {
      const trip = await this.trips.lock(claim.tripId);
      if (trip.status !== 'reserve_in_progress' || trip.fencingToken !== claim.token) throw new Fenced();
      trip.leaseExpiresAt = this.clock.inSeconds(LEASE_SECONDS);
      return work(trip);
    });
  }

  /** Commits what the plan has come to. Throws `Fenced`. */
  async write(claim: Claim, { components, plan }: Running): Promise<void> {
    await this.within(claim, (trip) => this.trips.store({ trip, components, plan }));
  }

  /** Commits the end of it, and returns that. Throws `Fenced`. */
  async end(claim: Claim, running: Running, { change, tell }: LastWord): Promise<Running> {
    return this.within(claim, async (trip) => {
      const before = imageOfTrip(trip);
      // The transaction may be tried again: what it changes is a copy.
      const plan = { ...running.plan, steps: running.plan.steps.map((step) => ({ ...step })) };
      const ended = { trip, components: running.components, plan };
      await change(ended);
      await this.trips.store(ended);
      tell(ended, before);
      return ended;
    });
  }

  /** Leaves it to a job, or to the sweeper. Throws 409 `reservation_in_progress`, `Fenced`. */
  async handOver(claim: Claim, { components, plan }: Running): Promise<never> {
    await this.within(claim, async (trip) => {
      trip.leaseExpiresAt = this.clock.inSeconds(RETRY_AFTER_MS / 1000);
      await this.trips.store({ trip, components, plan });
      await this.jobs.add(RECOVER_JOB, { tripId: trip.id }, { runAt: trip.leaseExpiresAt });
    });
    throw inProgress();
  }

  /** Null where the reservation stopped before it had a plan, and so before anything was held. */
  async read(claim: Claim): Promise<Running | null> {
    return this.within(claim, async (trip) => {
      const [components, plan] = [await this.trips.componentsOf(trip), await this.trips.plans.last(trip.id)];
      const isRunning = plan?.status === 'running' || plan?.status === 'compensating';
      return isRunning ? { trip, components: components.filter((one) => one.isActive()), plan } : null;
    });
  }
}

/** 409: somebody is at it, and is done, or has given up, after so many milliseconds. */
export function inProgress(retryAfterMs = RETRY_AFTER_MS): AppError {
  return new AppError(409, 'reservation_in_progress', 'Another request is reserving the trip', { retryAfterMs });
}
