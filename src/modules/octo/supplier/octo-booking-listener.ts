import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import {
  type BookingCancellation,
  type BookingItemSummary,
  BookingListener,
  type BookingSummary,
} from '../../bookings/index.js';
import { OctoBookingsService } from './octo-bookings.service.js';

/** What happens to the booking of a reservation shows at once in the reservation, which is locked before its booking. */
@Injectable()
@Listens(BookingListener, 70)
export class OctoBookingListener implements BookingListener {
  constructor(private readonly bookings: OctoBookingsService) {}

  async beforeLock(bookingId: string): Promise<void> {
    await this.bookings.lockOfBooking(bookingId);
  }

  async cancelled({ id }: BookingSummary, { cost, totalCents, reason }: BookingCancellation): Promise<void> {
    const { feeCents } = cost;
    const refund = feeCents === 0 ? 'FULL' : feeCents !== null && feeCents >= totalCents ? 'NONE' : 'PARTIAL';
    await this.bookings.followCancellation(id, { refund, reason });
  }

  async reinstated({ id }: BookingSummary): Promise<void> {
    await this.bookings.followReinstatement(id);
  }

  async itemCancelled({ id }: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.bookings.followItem(id, item.id, { isCancelled: true });
  }

  async itemReinstated({ id }: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.bookings.followItem(id, item.id, { isCancelled: false });
  }

  async itemChanged({ id }: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.bookings.followMove(id, [item]);
  }

  async rebooked(bookingId: string, items: readonly BookingItemSummary[]): Promise<void> {
    await this.bookings.followMove(bookingId, items);
  }
}
