import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type BookedService, type BookingFacts, BookingFactsSource } from '../../notifications/index.js';
import { ProductsService } from '../../products/index.js';
import { OWED } from './booking-list.sql.js';

const MAX_ITEMS = 100;

/** Describes bookings for mails to their customers. */
@Injectable()
@Listens(BookingFactsSource, 10)
export class BookingMailFacts implements BookingFactsSource {
  constructor(
    private readonly database: Database,
    private readonly products: ProductsService,
  ) {}

  async read(bookingId: string, language: string | null = null): Promise<BookingFacts | null> {
    const [booking] = await this.database.query<Omit<BookingFacts, 'items'>>(
      `select b.id as "bookingId", b.number as "bookingNumber", b.customer_id as "customerId",
         b.customer_name as "customerName", b.customer_email as "customerEmail", b.customer_language as language,
         b.departure_date as "departureDate", b.return_date as "returnDate", b.currency,
         b.total_cents::float8 as "totalCents",
         case when b.status = 'draft' then coalesce(b.total_cents, 0)::float8 else owed.cents end as "balanceCents",
         owed.due_on as "balanceDueOn"
       from bookings b cross join lateral (
         select coalesce(sum(installment.amount_cents - installment.paid_cents), 0)::float8 as cents,
           min(installment.due_date) filter (where installment.paid_cents < installment.amount_cents) as due_on ${OWED}
       ) owed
       where b.id = $1`,
      [bookingId],
    );
    if (!booking) return null;
    const items = await this.database.query<ItemRow>(
      `select item.title, item.service_date as date, item.quantity, departure.starts_at as "startsAt",
         departure.time_zone as "timeZone", facility.name as "meetingPoint",
         case when item.extra_id is null then coalesce(departure.product_id, item.product_id) end as "productId"
       from booking_items item
       left join departures departure on departure.id = item.departure_id
       left join facilities facility on facility.id = departure.facility_id
       where item.booking_id = $1 and item.status <> 'cancelled'
       order by item.service_date nulls last, item.id limit $2`,
      [bookingId, MAX_ITEMS],
    );
    const titles = new Map<string | null, string | null>();
    for (const { productId } of items) {
      if (productId === null || titles.has(productId)) continue;
      titles.set(productId, await this.products.findTitle(productId, language));
    }
    return {
      ...booking,
      items: items.map(({ productId, startsAt, timeZone, ...item }) => ({
        ...item,
        tour: titles.get(productId) ?? null,
        start: startsAt && timeZone ? { startsAt, timeZone } : null,
      })),
    };
  }
}

type ItemRow = Pick<BookedService, 'title' | 'date' | 'quantity' | 'meetingPoint'> & {
  productId: string | null;
  startsAt: Date | null;
  timeZone: string | null;
};
