import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { type BookingSummary, BookingsService, type BookingItemSummary } from '../../bookings/index.js';

export interface Place {
  booking: BookingSummary;
  item: BookingItemSummary;
  now: Date;
}

/** The item that commissions are on, held together with its booking. */
@Injectable()
export class CommissionPlace {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly clock: Clock,
  ) {}

  /** Does the work in a transaction that holds the item's booking. Throws 404. */
  async hold<T>(bookingItemId: string, work: (place: Place) => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      const { bookingId } = await this.bookings.getItem(bookingItemId);
      const booking = await this.bookings.lock(bookingId);
      // As it is now that nobody changes it any more.
      return work({ booking, item: await this.bookings.getItem(bookingItemId), now: this.clock.now() });
    });
  }

  /** Does the work in a transaction that holds the booking. Throws 404. */
  async holdBooking(bookingId: string, work: () => Promise<void>): Promise<void> {
    await this.database.transaction(async () => {
      await this.bookings.lock(bookingId);
      await work();
    });
  }

  /** Those of the bookings whose departure date has passed. */
  async departedOf(bookingIds: readonly string[]): Promise<string[]> {
    return this.bookings.departedBefore(this.clock.today(), bookingIds);
  }

  today(): string {
    return this.clock.today();
  }
}
