import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import {
  type BookingItemSummary,
  BookingItemsService,
  BookingListener,
  type BookingSummary,
} from '../../bookings/index.js';
import { ExternalOrdersService } from '../orders/external-orders.service.js';
import { TripComponentsService } from '../envelopes/trip-components.service.js';
import { TripsRepository } from '../envelopes/trips.repository.js';

/** Updates a trip when its booking changes, in the transaction of the change. A trip is locked before its booking. */
@Injectable()
@Listens(BookingListener, 20)
export class TripBookingListener implements BookingListener {
  constructor(
    private readonly repository: TripsRepository,
    private readonly orders: ExternalOrdersService,
    private readonly components: TripComponentsService,
    private readonly items: BookingItemsService,
  ) {}

  async beforeLock(bookingId: string): Promise<void> {
    await this.repository.lockTripOf(bookingId);
  }

  async cancelled({ id }: BookingSummary, { reason }: { reason: string }): Promise<void> {
    const trip = await this.repository.lockTripOf(id);
    if (trip) await this.orders.settleReinstated(trip, null);
    if (trip?.status !== 'booked') return;
    const components = await this.repository.componentsOf(trip.id);
    await this.orders.cancel(
      trip,
      components.filter(({ status }) => status === 'booked'),
      { reason },
    );
  }

  async itemCancelled({ id }: BookingSummary, item: BookingItemSummary): Promise<void> {
    const trip = await this.repository.lockTripOf(id);
    if (trip) await this.orders.settleReinstated(trip, item.id);
    if (trip?.status !== 'booked') return;
    const components = await this.repository.componentsOf(trip.id);
    const ofItem = components.filter((one) => one.status === 'booked' && one.itemIds().includes(item.id));
    // A component ends with the last of its units.
    const live = await this.items.listActive(
      id,
      ofItem.flatMap((one) => one.unitItemIds()),
    );
    const cancelled = ofItem.filter((one) => !one.unitItemIds().some((unitId) => live.includes(unitId)));
    if (cancelled.length > 0) await this.orders.cancel(trip, cancelled, null);
  }

  async reinstated({ id }: BookingSummary, items: readonly BookingItemSummary[]): Promise<void> {
    const trip = await this.repository.lockTripOf(id);
    if (trip) await this.orders.reportEnded(trip, new Set(items.map((item) => item.id)));
  }

  async itemReinstated(booking: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.reinstated(booking, [item]);
  }

  async rebooked(bookingId: string, items: readonly BookingItemSummary[]): Promise<void> {
    const trip = await this.repository.lockTripOf(bookingId);
    if (trip?.status === 'booked') await this.components.followItems(trip, items);
  }

  async departureMoved(bookingId: string, departureId: string): Promise<void> {
    await this.components.followDeparture(departureId, bookingId);
  }
}
