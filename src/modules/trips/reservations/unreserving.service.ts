import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { TripJournal } from '../envelopes/trip-journal.js';
import { TripRows, type TripView } from '../envelopes/trip-rows.service.js';
import { Holds } from './holds.service.js';
import type { Plan } from './plan.js';

/** The way from a reservation back to a draft. */
@Injectable()
export class Unreserving {
  constructor(
    private readonly trips: TripRows,
    private readonly holds: Holds,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /** Ours is released at once; what lies outside is left to the caller. Throws 409 `trip_not_reserved`. */
  async unreserve({ trip, components: all, plan }: TripView & { plan: Plan }): Promise<void> {
    const now = this.clock.now();
    if (trip.status !== 'reserved') {
      throw conflict('trip_not_reserved', `The trip is ${trip.status}`, { status: trip.status });
    }
    await this.holds.releaseOurs(plan);
    this.holds.leaveOutside(plan);
    const components = all.filter(({ status }) => status === 'held');
    for (const component of components) component.letGo('priced');
    trip.move('draft', now);
    trip.takePrices({ subtotalCents: null, taxCents: null, totalCents: null, priceExpiresAt: null }, now);
    await this.trips.store({ trip, components, plan });
    this.journal.tell('unreserved', trip);
  }
}
