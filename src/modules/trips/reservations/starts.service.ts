import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import type { TripComponent } from '../components/component.entity.js';
import { missingOf } from '../envelopes/traveler-party.js';
import { imageOfTrip } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import type { Trip } from '../envelopes/trip.entity.js';
import { Providers } from '../providers/providers.service.js';
import { type Attempted, Attempts } from './attempts.service.js';
import { NotHeld } from './holds.service.js';
import { type Claim, inProgress, LEASE_SECONDS, RETRY_AFTER_MS } from './saga-book.service.js';

/** What the first transaction of a reservation came to: its end, a price that is still missing, or a claim to the rest. */
type Started = Attempted | { draft: true } | { claim: Claim };

/** Where reservations begin. One that needs no provider outside ends in the same transaction. */
@Injectable()
export class Starts {
  constructor(
    private readonly trips: TripRows,
    private readonly providers: Providers,
    private readonly attempts: Attempts,
    private readonly clock: Clock,
  ) {}

  /** Throws what `Reservations.reserve` says; nothing is stored then. */
  async start(id: string, expected: ExpectedVersions): Promise<Started> {
    try {
      return await this.trips.within(() => this.begin(id, expected, { isOptimistic: true }));
    } catch (error) {
      if (!(error instanceof NotHeld)) throw error;
      return this.trips.within(() => this.begin(id, expected, { isOptimistic: false }));
    }
  }

  private async begin(id: string, expected: ExpectedVersions, how: { isOptimistic: boolean }): Promise<Started> {
    const trip = await this.trips.lock(id);
    assertVersion(expected, trip);
    if (trip.isHeldAt(this.clock.now())) {
      const [view] = await this.trips.viewsOf([trip]);
      return { view: view ?? { trip, components: [], plan: null }, refusal: null, isOpen: false };
    }
    this.assertFree(trip);
    const components = await this.trips.componentsOf(trip);
    const active = components.filter((one) => one.isActive());
    assertReservable(trip, active);
    if (trip.status === 'draft') return { draft: true };
    assertComplete(trip, active);

    const before = imageOfTrip(trip);
    trip.lease(this.clock.inSeconds(LEASE_SECONDS));
    trip.move('reserve_in_progress', this.clock.now());
    if (active.every((component) => this.providers.isInternal(component))) {
      const quotes = await this.providers.quote(active);
      return this.attempts.make({ trip, active, quotes, before }, how);
    }
    await this.trips.update(trip);
    return { claim: { tripId: id, token: trip.fencingToken } };
  }

  private assertFree({ status, leaseExpiresAt }: Trip): void {
    if (status !== 'reserve_in_progress') return;
    // Its lease is how long somebody may be at it at most; most are done within seconds.
    const leftMs = (leaseExpiresAt?.getTime() ?? 0) - this.clock.now().getTime();
    throw inProgress(Math.min(RETRY_AFTER_MS, Math.max(1_000, leftMs)));
  }
}

function assertReservable({ status }: Trip, active: readonly TripComponent[]): void {
  if (['failed', 'expired', 'reserved'].includes(status)) {
    const componentIds = active.map(({ id }) => id);
    throw conflict('trip_not_priced', `A trip that is ${status} must be priced again first`, { componentIds });
  }
  const isOpen = status === 'draft' || status === 'priced';
  if (isOpen && active.length > 0) return;
  const why = isOpen ? 'The trip has no component' : `A trip that is ${status} cannot be reserved`;
  throw conflict('trip_not_reservable', why, { status });
}

function assertComplete(trip: Trip, active: readonly TripComponent[]): void {
  const missing = missingOf(trip.travelerParty);
  if (missing.length > 0) {
    throw conflict('traveler_party_incomplete', 'The traveler party is incomplete', { missing });
  }
  const unconfirmed = active.filter(({ kind, confirmedByStaff }) => kind === 'manual_placeholder' && !confirmedByStaff);
  if (unconfirmed.length > 0) {
    const componentIds = unconfirmed.map(({ id }) => id);
    throw conflict('component_not_confirmed', 'Staff have not confirmed every manual component', { componentIds });
  }
}
