import { Injectable } from '@nestjs/common';
import { CompletesReversal, type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { unreleasedSteps } from './reservation-plan.js';
import { ReservationsService } from './reservations.service.js';
import { TripsRepository } from './trips.repository.js';

/** Reverses ledger entries of trips. */
@Injectable()
export class TripReversals {
  constructor(
    private readonly repository: TripsRepository,
    private readonly reservations: ReservationsService,
  ) {}

  /** Releases the reservation. Throws 409 `trip_not_reserved`, `reserved_again`. */
  @Reverses('trips.trip.reserve')
  async reverseReservation({ subjectId, after }: RecordedAction): Promise<ReversalResult> {
    return this.reservations.unreserve(subjectId, after?.['planId']);
  }

  /** Asks every external provider, also after one of them failed. Throws the first error. */
  @CompletesReversal('trips.trip.reserve')
  async releaseExternalHolds({ subjectId, after }: RecordedAction): Promise<void> {
    const plan = await this.repository.lastPlan(subjectId);
    const steps = plan && plan.id === after?.['planId'] ? unreleasedSteps(plan) : [];
    const errors: unknown[] = [];
    for (const { id } of steps) await this.reservations.release(id).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
