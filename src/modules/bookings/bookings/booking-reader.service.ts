import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ListBookings, SORT_FIELDS } from './booking.dto.js';
import type { BookingView } from './booking-rows.service.js';

const COLUMNS = `b.id, b.number, b.status, b.currency, b.total_cents as "totalCents", b.customer_name as "customerName",
  b.customer_email as "customerEmail", b.start_date as "startDate", b.end_date as "endDate",
  coalesce((select min(i.service_date) from booking_items i where i.booking_id = b.id and i.status <> 'cancelled'),
           b.start_date) as "departureDate",
  b.notes, b.payment_policy as "paymentPolicy", b.channel_id as "channelId", b.confirmed_at as "confirmedAt",
  b.cancelled_at as "cancelledAt", b.cancel_reason as "cancelReason", b.terms, b.terms_sha256 as "termsSha256", b.version, b.created_at as "createdAt",
  b.updated_at as "updatedAt"`;

/** pg hands out bigint as text. */
type Row = Omit<BookingView, 'totalCents'> & { totalCents: string | null };

const ORDERS: Record<(typeof SORT_FIELDS)[number], (direction: string) => string> = {
  createdAt: (direction) => `b.created_at ${direction}, b.id ${direction}`,
  startDate: (direction) => `b.start_date ${direction} nulls last, b.id ${direction}`,
  number: (direction) => `b.number ${direction}, b.id ${direction}`,
};

/** Bookings as they are answered, in one statement each. */
@Injectable()
export class BookingReader {
  constructor(private readonly database: Database) {}

  /** Throws 404. */
  async get(id: string): Promise<BookingView> {
    const text = `select ${COLUMNS} from bookings b where b.id = $1`;
    const [row] = await this.database.prepared<Row>('booking-get', text, [id]);
    if (!row) throw notFound();
    return toView(row);
  }

  async list(query: ListBookings): Promise<{ views: BookingView[]; total: number }> {
    const { where, values } = conditionsOf(query);
    const { limit, offset } = pageBounds(query);
    // The total stands beside an empty page as well: what lies before it is still counted.
    const found = await this.database.query<{ total: number } & (Row | { id: null })>(
      `select t.total, p.* from (select count(*)::int as total from bookings b where ${where}) t
       left join lateral (
         select ${COLUMNS}, row_number() over () as place
         from (select * from bookings b where ${where} order by ${orderOf(query)} limit ${limit} offset ${offset}) b
       ) p on true order by p.place`,
      values,
    );
    const views = found.flatMap((row) => (row.id === null ? [] : [toView(row)]));
    return { views, total: found[0]?.total ?? 0 };
  }
}

function toView(row: Row): BookingView {
  return { ...row, totalCents: row.totalCents === null ? null : Number(row.totalCents) };
}

function conditionsOf({ status, search, startFrom, startTo }: ListBookings): { where: string; values: unknown[] } {
  const given: [string, unknown][] = [
    ['b.status = ?', status],
    ['(b.customer_name ilike ? or b.number ilike ?)', search === undefined ? undefined : containing(search)],
    ['b.start_date >= ?', startFrom],
    ['b.start_date <= ?', startTo],
  ];
  const asked = given.filter(([, value]) => value !== undefined);
  const where = asked.map(([condition], index) => condition.replaceAll('?', `$${index + 1}`)).join(' and ');
  return { where: where === '' ? 'true' : where, values: asked.map(([, value]) => value) };
}

function orderOf({ sort = '-createdAt' }: ListBookings): string {
  const field = SORT_FIELDS.find((known) => sort.endsWith(known)) ?? 'createdAt';
  return ORDERS[field](sort.startsWith('-') ? 'desc' : 'asc');
}
