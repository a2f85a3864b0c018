import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { BookingsService, type ComponentSale, type TripSale } from '../../bookings/index.js';
import type { TripComponent } from '../components/component.entity.js';
import { imageOfTrip, TripJournal } from '../envelopes/trip-journal.js';
import { TripRows, type TripView } from '../envelopes/trip-rows.service.js';
import type { Trip } from '../envelopes/trip.entity.js';
import { Holds } from './holds.service.js';

/** How trips end: as a booking, or not at all. */
@Injectable()
export class TripEndings {
  constructor(
    private readonly trips: TripRows,
    private readonly holds: Holds,
    private readonly bookings: BookingsService,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /** One confirmed booking with an item for each component. Throws 404, 409 `hold_expired`, `invalid_transition`, 412. */
  async book(id: string, expected: ExpectedVersions): Promise<TripView> {
    return this.end(id, expected, async (view) => {
      const { trip, components, plan } = view;
      const { holdExpiresAt } = trip;
      const isLive = trip.isHeldAt(this.clock.now());
      trip.move('booked', this.clock.now());
      if (!isLive || !plan) {
        throw conflict('hold_expired', 'The hold has expired; price the trip and reserve it again', {
          holdExpiresAt: holdExpiresAt?.toISOString() ?? null,
        });
      }
      const held = components.filter(({ status }) => status === 'held');
      // First, for that locks the departures in the order of their ids.
      await this.holds.confirmAll(plan);
      const { bookingId, itemIds } = await this.bookings.sellTrip(saleOf(trip, held));
      held.forEach((component, index) => component.book(itemIds[index] ?? ''));
      trip.bookingId = bookingId;
      return (before) => {
        this.journal.trip('book', trip, { before });
        this.journal.tell('booked', trip, { bookingId });
      };
    });
  }

  /** What is held is given back. Throws 404, 409 `invalid_transition`, 412. */
  async cancel(id: string, reason: string | null, expected: ExpectedVersions): Promise<TripView> {
    return this.end(id, expected, async ({ trip, components, plan }) => {
      const wasReserved = trip.status === 'reserved';
      trip.cancel(reason, this.clock.now());
      if (wasReserved && plan) await this.holds.releaseAll(plan);
      for (const component of components) component.letGo('cancelled');
      return (before) => {
        this.journal.trip('cancel', trip, { before, reason });
        this.journal.tell('cancelled', trip);
      };
    });
  }

  private async end(
    id: string,
    expected: ExpectedVersions,
    work: (view: TripView) => Promise<(before: object) => void>,
  ): Promise<TripView> {
    return this.trips.within(async () => {
      const trip = await this.trips.lock(id);
      assertVersion(expected, trip);
      const before = imageOfTrip(trip);
      const view = { trip, components: await this.trips.componentsOf(trip), plan: await this.trips.plans.last(id) };
      const tell = await work(view);
      await this.trips.store(view);
      tell(before);
      return view;
    });
  }
}

/** The customer is who pays. */
function saleOf({ currency, travelerParty }: Trip, held: readonly TripComponent[]): TripSale {
  const billing = travelerParty?.billing;
  return {
    currency,
    customerName: billing?.name ?? '',
    customerEmail: billing?.email ?? null,
    components: held.map((component): ComponentSale => ({
      type: component.kind === 'catalog_booking' ? 'unit' : 'service',
      title: component.title,
      quantity: component.quantity,
      totalCents: component.totalCents ?? 0,
      taxIncludedCents: component.taxCents ?? 0,
      serviceDate: component.serviceDate,
      departureId: component.departureId,
    })),
  };
}
