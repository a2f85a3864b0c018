import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { imageOfTrip, TripJournal } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import { Holds } from './holds.service.js';

/** Gives back what reserved trips hold once their time is over. */
@Injectable()
export class HoldExpiry {
  constructor(
    private readonly trips: TripRows,
    private readonly holds: Holds,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /** False where somebody else was faster. */
  async expire(id: string): Promise<boolean> {
    return this.trips.within(async () => {
      const [trip, now] = [await this.trips.lock(id), this.clock.now()];
      if (trip.status !== 'reserved' || trip.isHeldAt(now)) return false;
      const before = imageOfTrip(trip);
      const [all, plan] = [await this.trips.componentsOf(trip), await this.trips.plans.last(id)];
      if (plan) await this.holds.releaseAll(plan);
      const components = all.filter(({ status }) => status === 'held');
      for (const component of components) component.letGo('priced');
      trip.move('expired', now);
      await this.trips.store({ trip, components, plan });
      this.journal.trip('expire', trip, { before });
      this.journal.tell('hold_expired', trip);
      return true;
    });
  }
}
