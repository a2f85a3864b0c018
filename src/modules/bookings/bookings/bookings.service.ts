import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { BookingItem } from '../items/booking-item.entity.js';
import { type BookingItemSummary, toBookingItemSummary } from '../items/item-facts.js';
import type { BookingSummary } from './booking-facts.js';
import { BookingRows } from './booking-rows.service.js';

/** The front door: what other modules may ask about bookings. Facts are plain, and of the moment they were read. */
@Injectable()
export class BookingsService {
  constructor(
    private readonly database: Database,
    private readonly rows: BookingRows,
  ) {}

  /**
   * Holds the booking until the end of the running transaction, and with it its items and total. Throws 404; `details`
   * are those of a booking that a body names.
   */
  async lock(bookingId: string, details?: { field: string }): Promise<BookingSummary> {
    return this.rows.factsOf(await this.rows.lock(bookingId, details));
  }

  /** Throws 404. */
  async read(bookingId: string): Promise<BookingSummary> {
    return this.rows.factsOf(await this.rows.get(bookingId));
  }

  /** Those of the bookings whose departure date lies before this day. */
  async departedBefore(day: string, bookingIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select b.id from bookings b where b.id = any($1)
         and coalesce((select min(i.service_date) from booking_items i
                       where i.booking_id = b.id and i.status <> 'cancelled'), b.start_date) < $2::date
       order by b.id`,
      [bookingIds, day],
    );
    return rows.map(({ id }) => id);
  }

  /** The items that are not cancelled, oldest first; at most 500. */
  async liveItems(bookingId: string): Promise<BookingItemSummary[]> {
    const items = await this.database.repository(BookingItem).find({
      where: { bookingId, status: In(['confirmed', 'fulfilled']) },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return items.map(toBookingItemSummary);
  }

  /** Cancelled or not. Throws 404. */
  async item(itemId: string): Promise<BookingItemSummary> {
    const item = await this.database.repository(BookingItem).findOneBy({ id: itemId });
    if (!item) throw notFound();
    return toBookingItemSummary(item);
  }
}
