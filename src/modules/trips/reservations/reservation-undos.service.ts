import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { CompletesReversal, type RecordedAction, Reverses, type Undone } from '../../action-ledger/index.js';
import { imageOfTrip } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import { idIn } from './job-payload.js';
import type { Plan, StepStatus } from './plan.js';
import { Settlements } from './settlements.service.js';
import { Unreserving } from './unreserving.service.js';

const UNRELEASED: readonly StepStatus[] = ['releasing', 'release_failed'];

/** A reservation is undone by releasing all that it holds; the trip is a draft again, without prices. */
@Injectable()
export class ReservationUndos {
  constructor(
    private readonly trips: TripRows,
    private readonly unreserving: Unreserving,
    private readonly settlements: Settlements,
  ) {}

  /** Ours at once, what lies outside afterwards. Throws 404, 409 `trip_not_reserved`, `reserved_again`. */
  @Reverses('trips.trip.reserve')
  async reverse({ subjectId, after }: RecordedAction): Promise<Undone> {
    const trip = await this.trips.lock(subjectId);
    const before = imageOfTrip(trip);
    const plan = await this.trips.plans.last(subjectId);
    if (!plan || plan.id !== after?.['planId']) {
      throw conflict('reserved_again', 'The trip was reserved again in the meantime', { planId: plan?.id ?? null });
    }
    // What an earlier reversal could not release is all that is left to be undone.
    const isLeft = plan.status === 'released' && hasUnreleased(plan);
    if (!isLeft) await this.unreserving.unreserve({ trip, components: await this.trips.componentsOf(trip), plan });
    return { before, after: imageOfTrip(trip), isRunning: hasUnreleased(plan) };
  }

  /** Asks every provider outside, also where one of them fails. Throws what the first of these threw. */
  @CompletesReversal('trips.trip.reserve')
  async release({ subjectId, after }: RecordedAction): Promise<void> {
    const planId = idIn(after, 'planId');
    const plan = await this.trips.plans.last(subjectId);
    const steps = plan?.id === planId ? plan.steps.filter(({ status }) => UNRELEASED.includes(status)) : [];
    const failures: unknown[] = [];
    for (const { id } of steps) await this.settlements.release(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

function hasUnreleased({ steps }: Plan): boolean {
  return steps.some(({ status }) => UNRELEASED.includes(status));
}
