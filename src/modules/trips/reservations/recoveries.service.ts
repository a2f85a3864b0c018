import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { imageOfTrip, TripJournal } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import { type Claim, LEASE_SECONDS, SagaBook } from './saga-book.service.js';
import { Saga } from './saga.service.js';

/** Ends reservations that nobody works on any more. */
@Injectable()
export class Recoveries {
  constructor(
    private readonly trips: TripRows,
    private readonly book: SagaBook,
    private readonly saga: Saga,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /** Takes it over if its lease ran out. False where somebody is still, or again, at it. */
  async recover(id: string): Promise<boolean> {
    const claim = await this.takeOver(id);
    if (!claim) return false;
    try {
      if (!(await this.saga.recover(claim))) await this.backToPriced(claim);
    } catch (error) {
      // A refusal is an end as well, and stored. What is not is left to the next round.
      if (!(error instanceof AppError)) throw error;
      return error.code !== 'reservation_in_progress';
    }
    return true;
  }

  private async takeOver(id: string): Promise<Claim | null> {
    return this.trips.within(async () => {
      const trip = await this.trips.lock(id);
      const { leaseExpiresAt } = trip;
      if (leaseExpiresAt === null || leaseExpiresAt > this.clock.now()) return null;
      trip.lease(this.clock.inSeconds(LEASE_SECONDS));
      await this.trips.update(trip);
      return { tripId: id, token: trip.fencingToken };
    });
  }

  /** It stopped before anything was held, so its prices are all that it has. */
  private async backToPriced(claim: Claim): Promise<void> {
    await this.book.within(claim, async (trip) => {
      const before = imageOfTrip(trip);
      trip.move('priced', this.clock.now());
      await this.trips.update(trip);
      this.journal.trip('recover', trip, { before });
    });
  }
}
