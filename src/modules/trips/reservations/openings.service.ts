import { Injectable } from '@nestjs/common';
import { imageOfTrip } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import { Providers } from '../providers/providers.service.js';
import { Attempts } from './attempts.service.js';
import { type Claim, type Running, SagaBook } from './saga-book.service.js';

/** The second transaction of a reservation with providers outside, after they have been asked for their prices. */
@Injectable()
export class Openings {
  constructor(
    private readonly trips: TripRows,
    private readonly providers: Providers,
    private readonly attempts: Attempts,
    private readonly book: SagaBook,
  ) {}

  /** Throws what the attempt is refused for, once that is stored; `Fenced`. */
  async open(claim: Claim): Promise<Running> {
    const { components } = await this.trips.view(claim.tripId);
    const outside = components.filter((one) => one.isActive() && !this.providers.isInternal(one));
    const theirs = await this.providers.quote(outside);
    const { refusal, view } = await this.book.within(claim, async (trip) => {
      const before = { ...imageOfTrip(trip), status: 'priced' };
      const active = (await this.trips.componentsOf(trip)).filter((one) => one.isActive());
      const ours = await this.providers.quote(active.filter((one) => this.providers.isInternal(one)));
      return this.attempts.make({ trip, active, quotes: new Map([...theirs, ...ours]), before });
    });
    if (refusal) throw refusal;
    if (!view.plan) throw new Error(`${claim.tripId} is reserved without a plan`);
    return { ...view, plan: view.plan };
  }
}
