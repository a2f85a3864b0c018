import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type BookingFacts, BookingFactsSource } from '../../notifications/index.js';

const MAX_ITEMS = 100;

/** Describes bookings for mails to their customers. */
@Injectable()
@Listens(BookingFactsSource, 10)
export class BookingMailFacts implements BookingFactsSource {
  constructor(private readonly database: Database) {}

  async read(bookingId: string): Promise<BookingFacts | null> {
    const [booking] = await this.database.query<Omit<BookingFacts, 'items'>>(
      `select id as "bookingId", number as "bookingNumber", customer_id as "customerId", customer_name as "customerName",
         customer_email as "customerEmail", customer_language as language, departure_date as "departureDate",
         return_date as "returnDate"
       from bookings where id = $1`,
      [bookingId],
    );
    if (!booking) return null;
    const items = await this.database.query<BookingFacts['items'][number]>(
      `select title, service_date as date, quantity from booking_items
       where booking_id = $1 and status <> 'cancelled' order by service_date nulls last, id limit $2`,
      [bookingId, MAX_ITEMS],
    );
    return { ...booking, items };
  }
}
