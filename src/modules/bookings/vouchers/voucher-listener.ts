import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { BookingListener } from '../bookings/booking-listener.js';
import type { BookingItemSummary, BookingSummary } from '../bookings/booking-summary.js';
import { VouchersService } from './vouchers.service.js';

/** Vouchers follow the items and the travelers of their booking. Runs after finance and after the travelers have changed seats. */
@Injectable()
@Listens(BookingListener, 60)
export class VoucherListener implements BookingListener {
  constructor(private readonly vouchers: VouchersService) {}

  async confirmed({ id }: BookingSummary): Promise<void> {
    await this.vouchers.follow(id);
  }

  async cancelled({ id }: BookingSummary): Promise<void> {
    await this.vouchers.follow(id);
  }

  async reinstated({ id }: BookingSummary): Promise<void> {
    await this.vouchers.follow(id);
  }

  async itemsAdded(bookingId: string): Promise<void> {
    await this.vouchers.follow(bookingId);
  }

  async itemChanged({ id }: BookingSummary): Promise<void> {
    await this.vouchers.follow(id);
  }

  async itemCancelled({ id }: BookingSummary): Promise<void> {
    await this.vouchers.follow(id);
  }

  async itemReinstated({ id }: BookingSummary): Promise<void> {
    await this.vouchers.follow(id);
  }

  async rebooked(bookingId: string, items: readonly BookingItemSummary[]): Promise<void> {
    await this.vouchers.reopenMoved(
      bookingId,
      items.map(({ id }) => id),
    );
  }

  async travelersChanged(bookingId: string): Promise<void> {
    await this.vouchers.follow(bookingId);
  }
}
