import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import type { CustomerCopy } from '../../customers/index.js';
import type { ListBookingItems } from '../items/booking-item.dto.js';
import { BookingItem, LIVE_AT_SUPPLIER } from '../items/booking-item.entity.js';
import type { DueStatus, ListBookings, ListedBooking } from './booking.dto.js';
import { conditionsOf, orderOf, RATE_CHANGED, rowFigures } from './booking-list.sql.js';
import {
  Booking,
  type BookingStatus,
  type BookingView,
  type CopiedMember,
  type ServiceDays,
} from './booking.entity.js';

mapConstraint('bookings_number', () => conflict('booking_number_taken', 'Another booking already has this number'));
mapConstraint('booking_items_allotment', () => notFound({ field: 'allotmentId' }));

const OPEN: readonly BookingStatus[] = ['draft', 'confirmed', 'in_progress'];

/** The contact of a booking without a customer record. */
export interface BookingContact {
  id: string;
  name: string;
  email: string;
}

/** Identifies an item by its path: it is found only under its own booking. */
export interface ItemPath {
  bookingId: string;
  itemId: string;
}

/** The units of a departure that an item takes, if any. */
export interface ItemUnits {
  id: string;
  departureId: string | null;
  allotmentId: string | null;
  units: number;
  quantity: number;
}

export interface SoldItems {
  /** The items that are not cancelled. */
  count: number;
  /** Whether documents billed a part of any item, even a cancelled one, before its rate changed. */
  hasEarlierRates: boolean;
}

/** Items of one tax code. */
export interface TaxGroupOfItems {
  taxCodeId: string | null;
  totalSellCents: number;
  taxIncludedCents: number;
  /** Whether documents billed a part of one of them before its rate changed. */
  hasEarlierRates: boolean;
}

/** A change of status by date. */
export interface Progress {
  from: BookingStatus;
  to: BookingStatus;
  /** SQL: whether the booking `b` is due; $1 is today. */
  due: string;
}

export interface ProgressedBooking {
  id: string;
  number: string;
  currency: string;
  totalCents: number | null;
  version: number;
}

/** The last local day of an item `i` with the departure `d`. */
const LAST_DAY = 'greatest(i.service_date, (d.ends_at at time zone d.time_zone)::date)';
const CANCELLING = `exists (select from booking_items i where i.booking_id = b.id and i.supplier_status = 'cancelling')`;

/** Reads the plan that finance keeps for the booking. */
const DUE_AFTER_DEPARTURE = `exists (select from payment_schedules s
  where s.booking_id = b.id and s.status = 'pending' and s.due_date > b.departure_date)`;
/** Reads the trip that became the booking. */
const TRIP = '(select trip.id from trip_envelopes trip where trip.booking_id = b.id)';
const FLAGS = `${CANCELLING} as cancelling, ${RATE_CHANGED} as rate_changed, ${DUE_AFTER_DEPARTURE} as due_late, ${TRIP} as trip_id`;

/** The rate of the tax code on the day that decides the tax of an item. */
const RATE_OF_DAY = `
  cross join lateral (
    select coalesce(item.service_date, (
      select min(history.effective_on) from booking_item_history history where history.item_id = item.id
    )) as day
  ) supply
  left join tax_code_rates rate on rate.tax_code_id = item.tax_code_id
    and supply.day between rate.valid_from and coalesce(rate.valid_to, 'infinity')`;
/** The condition of the index. */
const UNMARKED = `item.tax_code_id is not null and item.status <> 'cancelled' and not item.tax_rate_changed`;
/** A fee has the rate of the item that was cancelled. */
const OTHER_RATE = `item.fee_of_item_id is null and rate.rate_basis_points is distinct from item.tax_rate_basis_points`;

/** Items with a service day from $2 on, or created on it or later: the two parts of one index. */
const AT_OTHER_RATES = `from booking_items item ${RATE_OF_DAY}
  where item.tax_code_id = $1 and ${UNMARKED} and ${OTHER_RATE} and (
    item.service_date >= $2::date
    or item.service_date is null and item.created_at >= $2::date - interval '1 day' and supply.day >= $2::date)`;

/** Whether none of the departures of booking `b` takes place. Staff decide about such a booking: it must not count as served. */
const IS_CALLED_OFF = `coalesce((
  select bool_and(departure.status = 'called_off')
  from booking_items item join departures departure on departure.id = item.departure_id
  where item.booking_id = b.id and item.status <> 'cancelled'), false)`;

export const START: Progress = {
  from: 'confirmed',
  to: 'in_progress',
  due: `b.departure_date <= $1::date and not ${IS_CALLED_OFF}`,
};
export const COMPLETE: Progress = {
  from: 'in_progress',
  to: 'completed',
  due: `coalesce(b.return_date, b.departure_date) < $1::date and not ${IS_CALLED_OFF}`,
};

/** Reads and writes bookings and their items. */
@Injectable()
export class BookingsRepository {
  readonly bookings: Rows<Booking>;
  readonly items: Rows<BookingItem>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.bookings = database.rows(Booking);
    this.items = database.rows(BookingItem);
  }

  async getView(id: string): Promise<BookingView> {
    const [found] = await this.database.read<Booking, ViewColumns>(Booking, {
      name: 'booking-get',
      text: `select ${this.viewColumns()} from bookings b where b.id = $1`,
      values: [id],
    });
    if (!found) throw notFound();
    return viewFrom(found);
  }

  async viewOf(booking: Booking): Promise<BookingView> {
    const [row] = await this.database.prepared<ViewColumns>(
      'booking-view',
      `select ${FLAGS} from bookings b where b.id = $1`,
      [booking.id],
    );
    return viewFrom({
      entity: booking,
      raw: row ?? { cancelling: false, rate_changed: false, due_late: false, trip_id: null },
    });
  }

  /** Sets the dates of a locked booking from its items and their departures. Does not save it. */
  async refreshDates(booking: Booking): Promise<void> {
    const [days] = await this.database.prepared<ServiceDays>(
      'booking-days',
      `select min(i.service_date) as first, max(${LAST_DAY}) as last
       from booking_items i left join departures d on d.id = i.departure_id
       where i.booking_id = $1 and i.status <> 'cancelled'`,
      [booking.id],
    );
    booking.travelOn(days ?? { first: null, last: null });
  }

  async list(query: ListBookings): Promise<{ rows: ListedBooking[]; total: number }> {
    const today = this.clock.today();
    const { where, values, total } = conditionsOf(query, today);
    const { limit, offset } = pageBounds(query);
    // The left join returns one row with the total even if the page is empty.
    const found = await this.database.read<Booking, ViewColumns & FigureColumns & { total: number }>(Booking, {
      text: `select t.total, p.* from (select ${total}::int as total) t
       left join lateral (
         select ${this.viewColumns()}, figures.*, row_number() over () as place
         from (select * from bookings b where ${where} order by ${orderOf(query)} limit ${limit} offset ${offset}) b
         cross join lateral (${rowFigures(`$${values.length + 1}`)}) figures
       ) p on true order by p.place`,
      values: [...values, today],
    });
    const listed = found.filter(({ entity }) => entity.id !== null);
    const rows = listed.map((row) => ({ view: viewFrom(row), figures: figuresFrom(row.raw) }));
    return { rows, total: found[0]?.raw.total ?? 0 };
  }

  async getListed(id: string): Promise<ListedBooking> {
    const [found] = await this.database.read<Booking, ViewColumns & FigureColumns>(Booking, {
      text: `select ${this.viewColumns()}, figures.*
        from bookings b cross join lateral (${rowFigures('$2')}) figures where b.id = $1`,
      values: [id, this.clock.today()],
    });
    if (!found) throw notFound();
    return { view: viewFrom(found), figures: figuresFrom(found.raw) };
  }

  /** Inserts with the next free number `B-<year>-<6 digits>`: unique, counted per year, with possible gaps. */
  async insertNumbered(booking: Booking): Promise<void> {
    do booking.number = await this.nextNumber();
    while (!(await this.bookings.insertUnlessTaken(booking)));
  }

  private async nextNumber(): Promise<string> {
    const year = this.clock.today().slice(0, 4);
    const [counter] = await this.database.prepared<{ last_number: number }>(
      'booking-number',
      `insert into booking_number_counters as c (year, last_number) values ($1::int, 1)
       on conflict (year) do update set last_number = c.last_number + 1 returning last_number`,
      [year],
    );
    return `B-${year}-${String(counter?.last_number).padStart(6, '0')}`;
  }

  /** Returns the given bookings that departed before this day. */
  async departedBefore(day: string, bookingIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select b.id from bookings b where b.id = any($1) and b.departure_date < $2::date
       order by b.id`,
      [bookingIds, day],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks up to `limit` due bookings, and skips bookings that another transaction has locked. */
  async lockDue({ from, due }: Progress, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select b.id from bookings b where b.status = $2 and ${due} order by b.id limit $3 for update skip locked`,
      [this.clock.today(), from, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Changes the status of these locked bookings. Checks again that they are due, because items may have changed before the
   * lock.
   */
  async progress({ to, due }: Progress, lockedIds: readonly string[]): Promise<ProgressedBooking[]> {
    const moved = await this.database.query<ProgressedBooking & { totalCents: string | null }>(
      `update bookings b set status = $2, version = version + 1, updated_at = $3
       where b.id = any($4) and ${due}
       returning b.id, b.number, b.currency, b.total_cents as "totalCents", b.version`,
      [this.clock.today(), to, this.clock.now(), lockedIds],
    );
    return moved.map((row) => ({ ...row, totalCents: row.totalCents === null ? null : Number(row.totalCents) }));
  }

  /**
   * Replaces the customer, the travelers and the free texts of at most `limit` ended bookings and drafts whose last service is older than the
   * retention time. Numbers, amounts, dates and terms stay.
   */
  async eraseOlderThan(months: number, limit: number): Promise<{ id: string; version: number }[]> {
    const erased = await this.database.query<{ id: string; version: number }>(
      `update bookings set customer_name = 'Erased person', customer_email = null, customer_phone = null,
         customer_language = null, customer_address = null, customer_id = null, notes = null, erased_at = $2,
         cancel_reason = case when cancel_reason is not null then 'erased' end, version = version + 1, updated_at = $2
       where id in (
         select b.id from bookings b
         where b.erased_at is null and b.status not in ('confirmed', 'in_progress')
           and b.created_at < $1::date - make_interval(months => $3)
           and coalesce(greatest(b.return_date, b.end_date), b.start_date, b.created_at::date)
             < $1::date - make_interval(months => $3)
         order by b.id limit $4 for update skip locked)
       returning id, version`,
      [this.clock.today(), this.clock.now(), months, limit],
    );
    await this.database.execute(
      `update booking_items set title = 'erased', pickup_note = null, cancel_reason = case when cancel_reason is not null then 'erased' end,
         version = version + 1, updated_at = $2
       where booking_id = any ($1)`,
      [erased.map(({ id }) => id), this.clock.now()],
    );
    await this.database.execute(
      `update booking_travelers
       set customer_id = null, first_name = null, last_name = null, birth_date = null, gender = null, nationality = null,
         language = null, phone = null, email = null, emergency_contact = null, document = null, dietary = '{}',
         health_note = null, mobility_note = null, health_data_consent = null, version = version + 1
       where booking_id = any($1)`,
      [erased.map(({ id }) => id)],
    );
    await this.database.execute(
      `update vouchers set void_reason = 'erased', version = version + 1, updated_at = $2
       where booking_id = any($1) and void_reason is not null`,
      [erased.map(({ id }) => id), this.clock.now()],
    );
    return erased;
  }

  /**
   * Open bookings of the customer in which one of these members still has the customer's former value, in the order of their
   * ids.
   */
  async staleCopies(before: CustomerCopy, members: readonly CopiedMember[]): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select id from bookings
       where customer_id = $1 and status = any($2) and exists (
         select from unnest(
           array['customerName', 'customerEmail', 'customerPhone', 'customerLanguage', 'customerAddress'],
           array[customer_name, customer_email, customer_phone, customer_language, customer_address],
           $4::text[]
         ) as copied (member, value, former)
         where member = any($3) and value is not distinct from former)
       order by id`,
      [before.id, OPEN, members, [before.name, before.email, before.phone, before.language, before.address]],
    );
    return found.map(({ id }) => id);
  }

  /** Bookings without a customer record that have an e-mail address, after the given one, in the order of their ids. */
  async withoutCustomer(after: string | null, limit: number): Promise<BookingContact[]> {
    return this.database.query(
      `select id, customer_name as name, customer_email as email from bookings
       where customer_id is null and customer_email is not null and erased_at is null and id > coalesce($1, '')
       order by id limit $2`,
      [after, limit],
    );
  }

  /** The customer of a booking, read without a lock. */
  async customerOf(id: string): Promise<string | null> {
    const text = 'select customer_id as "customerId" from bookings where id = $1';
    const [found] = await this.database.query<{ customerId: string | null }>(text, [id]);
    return found?.customerId ?? null;
  }

  async countOpenOf(customerId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'select count(*)::int as count from bookings where customer_id = $1 and status = any($2)',
      [customerId, OPEN],
    );
    return row?.count ?? 0;
  }

  /** Locks at most this many bookings of these customers, in the order of their ids. */
  async lockOfCustomers(customerIds: readonly string[], limit: number): Promise<Booking[]> {
    return this.bookings.read({
      text: `select ${this.bookings.columns('b')} from bookings b where b.customer_id = any($1)
        order by b.id limit $2 for update`,
      values: [customerIds, limit],
    });
  }

  async itemIdsOf(bookingIds: readonly string[]): Promise<string[]> {
    const text = 'select id from booking_items where booking_id = any ($1)';
    return (await this.database.query<{ id: string }>(text, [bookingIds])).map(({ id }) => id);
  }

  async voucherIdsOf(bookingIds: readonly string[]): Promise<string[]> {
    const text = 'select id from vouchers where booking_id = any ($1)';
    return (await this.database.query<{ id: string }>(text, [bookingIds])).map(({ id }) => id);
  }

  async erasedAmong(ids: readonly string[]): Promise<string[]> {
    const text = 'select id from bookings where id = any ($1) and erased_at is not null';
    return (await this.database.query<{ id: string }>(text, [ids])).map(({ id }) => id);
  }

  /** Returns the ids of the items that are now fulfilled, by booking. */
  async fulfillItems(bookingIds: readonly string[]): Promise<Map<string, string[]>> {
    const items = await this.database.query<{ id: string; booking_id: string }>(
      `update booking_items set status = 'fulfilled', version = version + 1, updated_at = $2
       where booking_id = any($1) and status = 'confirmed' returning id, booking_id`,
      [bookingIds, this.clock.now()],
    );
    const byBooking = new Map<string, string[]>();
    for (const { id, booking_id: bookingId } of items) {
      byBooking.set(bookingId, [...(byBooking.get(bookingId) ?? []), id].sort());
    }
    return byBooking;
  }

  async getItem({ bookingId, itemId }: ItemPath): Promise<BookingItem> {
    const item = await this.items.findBy({ id: itemId, bookingId });
    if (!item) throw notFound();
    return item;
  }

  /** The booking's items, oldest first. */
  async listItems(bookingId: string, query: ListBookingItems): Promise<{ rows: BookingItem[]; total: number }> {
    const found = this.items.query('item').where('item.bookingId = :bookingId', { bookingId });
    filterRows(found, 'item.status', query.status);
    sortRows(found, query.sort ?? 'createdAt');
    return this.items.page(found, pageBounds(query));
  }

  /** The items that are not cancelled, oldest first; at most 500. */
  async activeItems(bookingId: string): Promise<BookingItem[]> {
    return this.items.read({
      name: 'booking-items-active',
      text: `select ${this.items.columns('i')} from booking_items i
        where i.booking_id = $1 and i.status <> 'cancelled' order by i.created_at, i.id`,
      values: [bookingId],
    });
  }

  /** The items that were cancelled together with the booking, oldest first. */
  async itemsCancelledWith(bookingId: string): Promise<BookingItem[]> {
    return this.items.read({
      name: 'booking-items-cancelled-with',
      text: `select ${this.items.columns('i')} from booking_items i
        where i.booking_id = $1 and i.cancelled_with_booking order by i.created_at, i.id`,
      values: [bookingId],
    });
  }

  /** Whether the data of the booking was erased; it is not until the running transaction ends. */
  async shareErased(id: string): Promise<boolean> {
    const [row] = await this.database.query<{ erased: boolean }>(
      'select erased_at is not null as erased from bookings where id = $1 for share',
      [id],
    );
    return row?.erased ?? true;
  }

  /** The items that are not cancelled, or those that were cancelled with the booking, oldest first. */
  async soldItems({ id, status }: Pick<Booking, 'id' | 'status'>): Promise<BookingItem[]> {
    return status === 'cancelled' ? this.itemsCancelledWith(id) : this.activeItems(id);
  }

  async countActiveItems(bookingId: string): Promise<SoldItems> {
    const [row] = await this.database.prepared<SoldItems>(
      'booking-items-count',
      `select count(*) filter (where status <> 'cancelled')::int as count,
         coalesce(bool_or(earlier_rate_cents <> 0), false) as "hasEarlierRates"
       from booking_items where booking_id = $1`,
      [bookingId],
    );
    return row ?? { count: 0, hasEarlierRates: false };
  }

  /** The sums per tax code, or without one, of the items that are not cancelled, leaving out the given item. */
  async taxGroups(bookingId: string, exceptItemId: string): Promise<TaxGroupOfItems[]> {
    const rows = await this.database.prepared<
      Pick<TaxGroupOfItems, 'taxCodeId' | 'hasEarlierRates'> & Record<'gross' | 'tax', string>
    >(
      'booking-items-tax-groups',
      `select tax_code_id as "taxCodeId", sum(total_sell_cents) as gross, sum(tax_included_cents) as tax,
         bool_or(earlier_rate_cents <> 0) as "hasEarlierRates"
       from booking_items where booking_id = $1 and id <> $2 and status <> 'cancelled' group by tax_code_id`,
      [bookingId, exceptItemId],
    );
    return rows.map(({ gross, tax, ...row }) => ({
      ...row,
      totalSellCents: Number(gross),
      taxIncludedCents: Number(tax),
    }));
  }

  /** The departures of the items that are not cancelled, each once. */
  async activeDepartures(bookingId: string): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'booking-items-departures',
      `select distinct departure_id as id from booking_items
       where booking_id = $1 and status <> 'cancelled' and departure_id is not null`,
      [bookingId],
    );
    return rows.map(({ id }) => id);
  }

  /** The allotments of the items that are not cancelled, each once. */
  async activeAllotments(bookingId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select distinct allotment_id as id from booking_items
       where booking_id = $1 and status <> 'cancelled' and allotment_id is not null`,
      [bookingId],
    );
    return rows.map(({ id }) => id);
  }

  /** Cancels all items that are not cancelled yet and returns the units they had. */
  async cancelItems(bookingId: string, reason: string, now: Date): Promise<ItemUnits[]> {
    return this.database.query<ItemUnits>(
      `update booking_items
       set status = 'cancelled', cancelled_at = $2, cancel_reason = $3, cancelled_with_booking = true,
         version = version + 1, updated_at = $2,
         supplier_status = case when supplier_status = any($4) then 'cancelling' else supplier_status end
       where booking_id = $1 and status <> 'cancelled'
       returning id, departure_id as "departureId", allotment_id as "allotmentId",
         quantity * seats_per_unit as units, quantity`,
      [bookingId, now, reason, LIVE_AT_SUPPLIER],
    );
  }

  /**
   * Stores the day from which the departure of a confirmed booking was moved, for the mail about it. Moves while this mail
   * waits (`waitingSince`) count as one, and a move back as none.
   */
  async recordMove(
    id: string,
    { before, after, waitingSince }: { before: string | null; after: string | null; waitingSince: Date | null },
  ): Promise<void> {
    await this.database.execute(
      `update bookings booking
       set departure_moved_from = nullif(first.day, $3::date),
         departure_moved_at = case when first.day <> $3::date then $4::timestamptz end
       from (
         select case when departure_moved_at > $5::timestamptz then departure_moved_from else $2::date end as day
         from bookings where id = $1
       ) as first
       where booking.id = $1 and booking.status in ('confirmed', 'in_progress') and first.day is not null
         and $3::date is not null`,
      [id, before, after, this.clock.now(), waitingSince],
    );
  }

  /** Items of open bookings whose service date is not the departure's start date. */
  async itemsNotOnDeparture(departureId: string): Promise<(ItemPath & { serviceDate: string })[]> {
    return this.database.query(
      `select i.booking_id as "bookingId", i.id as "itemId", d.start_date as "serviceDate"
       from booking_items i join departures d on d.id = i.departure_id join bookings b on b.id = i.booking_id
       where i.departure_id = $1 and i.status = 'confirmed' and i.service_date is distinct from d.start_date
         and b.status in ('draft', 'confirmed', 'in_progress')
       order by i.booking_id, i.id`,
      [departureId],
    );
  }

  /** Asks the index for each tax code, because most items share a few. */
  async soldTaxCodes(): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select code.id from tax_codes code
       where exists (select from booking_items item where item.tax_code_id = code.id) order by code.id`,
    );
    return found.map(({ id }) => id);
  }

  /** Up to 100000 items that are not marked are counted. */
  async countOtherRates(taxCodeId: string, from: string): Promise<{ items: number; bookings: number }> {
    const [sums] = await this.database.query<{ items: number; bookings: number }>(
      `select count(*)::int as items, count(distinct booking_id)::int as bookings
       from (select item.booking_id ${AT_OTHER_RATES} limit 100000) as found`,
      [taxCodeId, from],
    );
    return sums ?? { items: 0, bookings: 0 };
  }

  /** Items that are not marked yet, not locked. */
  async itemsAtOtherRates(taxCodeId: string, { from, limit }: { from: string; limit: number }): Promise<ItemPath[]> {
    return this.database.query(
      `select item.id as "itemId", item.booking_id as "bookingId" ${AT_OTHER_RATES} limit $3`,
      [taxCodeId, from, limit],
    );
  }

  /** Returns those given items that are active and have a rate other than their day's. Their bookings are locked. */
  async stillAtOtherRates(ids: readonly string[]): Promise<BookingItem[]> {
    return this.items.read({
      text: `select ${this.items.columns('item')} from booking_items item ${RATE_OF_DAY}
        where item.id = any($1) and ${UNMARKED} and ${OTHER_RATE} order by item.id`,
      values: [ids],
    });
  }

  /** Counts people on the departure in bookings that were confirmed and not cancelled. */
  async confirmedPeople(departureId: string): Promise<number> {
    const [row] = await this.database.prepared<{ people: number }>(
      'booking-items-confirmed-people',
      `select least(coalesce(sum(i.quantity * i.people_per_unit), 0), 2147483647)::int as people
       from booking_items i join bookings b on b.id = i.booking_id
       where i.departure_id = $1 and i.status <> 'cancelled' and b.status in ('confirmed', 'in_progress', 'completed')`,
      [departureId],
    );
    return row?.people ?? 0;
  }

  /** The options of the live items on the departure. */
  async optionsOnDeparture(departureId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select distinct option_id as id from booking_items
       where departure_id = $1 and status <> 'cancelled' and option_id is not null`,
      [departureId],
    );
    return rows.map(({ id }) => id);
  }

  async isDepartureBooked(departureId: string): Promise<boolean> {
    const live = `select from booking_items where departure_id = $1 and status <> 'cancelled' limit 1`;
    return (await this.database.query(live, [departureId])).length > 0;
  }

  async isPriceListSold(priceListId: string): Promise<boolean> {
    const found = await this.database.query('select from booking_items where price_list_id = $1 limit 1', [
      priceListId,
    ]);
    return found.length > 0;
  }

  /** The bookings with a confirmed item on this departure. */
  async bookingsOnDeparture(departureId: string): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select distinct booking_id as id from booking_items where departure_id = $1 and status = 'confirmed' order by id`,
      [departureId],
    );
    return found.map(({ id }) => id);
  }

  /** Open bookings with an item on this departure whose stored end is out of date. */
  async bookingsNotReturning(departureId: string): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select b.id from bookings b
       join booking_items i on i.booking_id = b.id and i.status <> 'cancelled'
       left join departures d on d.id = i.departure_id
       where b.status in ('draft', 'confirmed', 'in_progress')
         and b.id in (select booking_id from booking_items where departure_id = $1 and status = 'confirmed')
       group by b.id, b.return_date having max(${LAST_DAY}) is distinct from b.return_date order by b.id`,
      [departureId],
    );
    return found.map(({ id }) => id);
  }

  private viewColumns(): string {
    return `${this.bookings.columns('b')}, ${FLAGS}`;
  }
}

/** Members of a booking's view besides its columns. */
interface ViewColumns {
  cancelling: boolean;
  rate_changed: boolean;
  due_late: boolean;
  trip_id: string | null;
}

/** Members of a row of the list besides the view. */
interface FigureColumns {
  channel_name: string | null;
  first_title: string | null;
  people: number;
  outstanding_cents: number;
  due_status: DueStatus;
  next_due_on: string | null;
}

function figuresFrom(raw: FigureColumns): ListedBooking['figures'] {
  return {
    channelName: raw.channel_name,
    firstTitle: raw.first_title,
    people: raw.people,
    outstandingCents: raw.outstanding_cents,
    dueStatus: raw.due_status,
    nextDueOn: raw.next_due_on,
  };
}

function viewFrom({ entity, raw }: { entity: Booking; raw: ViewColumns }): BookingView {
  return {
    ...entity,
    isCancellingAtSupplier: raw.cancelling,
    isTaxRateChanged: raw.rate_changed,
    isDueAfterDeparture: raw.due_late,
    tripId: raw.trip_id,
  };
}
