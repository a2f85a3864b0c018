import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { directionOf } from '../../../platform/database/sort-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { openQuestions } from '../bookings/open-questions.sql.js';
import type { ListTravelers, TravelerView, TravelerWarning } from './traveler.dto.js';
import { BookingTraveler } from './traveler.entity.js';

/** A traveler below its booking. */
export interface TravelerPath {
  bookingId: string;
  travelerId: string;
}

export interface Seat {
  seat: number;
  travelerId: string;
}

interface ViewColumns {
  item_ids: string[];
  required: string[];
  warnings: TravelerWarning[];
  open_questions: string[];
}

const ITEM_IDS = `array(
  select seat.item_id from booking_item_travelers seat where seat.traveler_id = traveler.id order by seat.item_id) as item_ids`;
const REQUIRED = `array(
  select distinct field from booking_item_travelers seat
  join booking_items item on item.id = seat.item_id and item.status <> 'cancelled'
  join bookings booking on booking.id = item.booking_id and booking.status in ('draft', 'confirmed', 'in_progress')
  join departures departure on departure.id = item.departure_id
  join products product on product.id = departure.product_id
  cross join unnest(product.required_traveler_fields) field
  where seat.traveler_id = traveler.id order by field) as required`;

/** Problems of the traveler's data on the days of its services. */
const WARNINGS = `array(
  select distinct warning.code from booking_item_travelers seat
  join booking_items item on item.id = seat.item_id and item.status <> 'cancelled'
  join bookings booking on booking.id = item.booking_id and booking.status in ('draft', 'confirmed', 'in_progress')
  left join departures departure on departure.id = item.departure_id
  left join product_units unit on unit.id = item.unit_id
  cross join lateral (select extract(year from age(item.service_date, traveler.birth_date)) as years,
    greatest(item.service_date, (departure.ends_at at time zone departure.time_zone)::date) as last_day) as service
  cross join lateral (values
    ('age_out_of_range', service.years < unit.min_age or service.years > unit.max_age),
    ('document_expired', (traveler.document ->> 'expiresOn')::date < service.last_day)
  ) as warning (code, applies)
  where seat.traveler_id = traveler.id and traveler.status = 'active' and warning.applies order by warning.code) as warnings`;

/** The members that the questions of products require, and the ids of other questions without an answer; $1 is the booking. */
const openOf = (today: string): string => `array(
  select distinct coalesce(open.field, open.question_id) as missing
  from (${openQuestions({ today, condition: 'i.booking_id = $1' })}) as open
  where open.traveler_id = traveler.id order by missing) as open_questions`;

/**
 * The customer who owns the proof of a consent of `traveler`: the traveler's, or that of the booking if both have the same
 * name. Null for a companion without a customer.
 */
const CUSTOMER_OF_PROOF = `coalesce(traveler.customer_id, case
  when fold(concat_ws(' ', traveler.first_name, traveler.last_name)) = fold(booking.customer_name) then booking.customer_id end)`;

/** The traveler `kept` has data that only the service itself needs. */
const NO_TRAVEL_DATA = `emergency_contact = null, document = null, dietary = '{}', health_note = null, mobility_note = null,
  health_data_consent = null`;
const TRAVEL_DATA = `(kept.emergency_contact is not null or kept.document is not null or kept.dietary <> '{}'
  or kept.health_note is not null or kept.mobility_note is not null or kept.health_data_consent is not null)`;

/**
 * Reads and writes travelers and their seats. Requests lock the booking and then its travelers; merges of customers and the
 * erasure lock the travelers only.
 */
@Injectable()
export class TravelersRepository {
  readonly travelers: Rows<BookingTraveler>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.travelers = database.rows(BookingTraveler);
  }

  /** Throws 404 also for a traveler of another booking. */
  async get({ bookingId, travelerId }: TravelerPath): Promise<BookingTraveler> {
    const traveler = await this.travelers.findBy({ id: travelerId, bookingId });
    if (!traveler) throw notFound();
    return traveler;
  }

  async view(path: TravelerPath): Promise<TravelerView> {
    const [found] = await this.read('traveler.booking_id = $1 and traveler.id = $2', [path.bookingId, path.travelerId]);
    if (!found) throw notFound();
    return found;
  }

  async list(bookingId: string, query: ListTravelers): Promise<{ views: TravelerView[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const where = 'traveler.booking_id = $1 and ($2::text[] is null or traveler.status = any($2))';
    const values = [bookingId, query.status ?? null];
    const { sort = 'position' } = query;
    const column = sort.endsWith('createdAt') ? 'traveler.created_at' : 'traveler.position';
    const order = `${column} ${directionOf(sort)}, traveler.id ${directionOf(sort)}`;
    const page = `${where} order by ${order} limit ${limit} offset ${offset}`;
    const [views, counted] = await Promise.all([
      this.read(page, values),
      this.database.query<{ total: number }>(
        `select count(*)::int as total from booking_travelers traveler where ${where}`,
        values,
      ),
    ]);
    return { views, total: counted[0]?.total ?? 0 };
  }

  /** All travelers of a booking, of which there are at most 200, in their order. */
  async allOf(bookingId: string): Promise<BookingTraveler[]> {
    return this.travelers.listBy({ bookingId }, ['position']);
  }

  /** Clears the health data of the customer's travelers that rests on the customer's consent. */
  async clearHealthData(customerId: string): Promise<void> {
    await this.database.execute(
      `update booking_travelers traveler
       set dietary = '{}', health_note = null, mobility_note = null, version = traveler.version + 1
       from (
         select id from booking_travelers
         where customer_id = $1 and health_data_consent is null
           and (dietary <> '{}' or health_note is not null or mobility_note is not null)
         order by id for update
       ) as concerned
       where concerned.id = traveler.id`,
      [customerId],
    );
  }

  /** Adds the consent of a saved traveler, or its withdrawal, to those that prove what was permitted. */
  async insertConsent({ id, healthDataConsent }: BookingTraveler): Promise<void> {
    const now = this.clock.now();
    const { source = null, textVersion = null, givenAt = now } = healthDataConsent ?? {};
    await this.database.execute(
      `insert into traveler_consents
         (id, traveler_id, booking_id, customer_id, granted, source, text_version, given_at, created_at)
       select $1::text, traveler.id, booking.id, ${CUSTOMER_OF_PROOF}, $3::boolean, $4::text, $5::text, $6::timestamptz,
         $7::timestamptz
       from booking_travelers traveler join bookings booking on booking.id = traveler.booking_id
       where traveler.id = $2`,
      [newId('cons'), id, healthDataConsent !== null, source, textVersion, givenAt, now],
    );
  }

  /**
   * Adds the consents of at most `limit` travelers without a proof: a build that had no proofs recorded them.
   * Returns their number.
   */
  async insertUnprovenConsents(limit: number): Promise<number> {
    const { count } = await this.database.execute(
      `insert into traveler_consents
         (id, traveler_id, booking_id, customer_id, granted, source, text_version, given_at, created_at)
       select 'cons' || substr(traveler.id, 5), traveler.id, booking.id, ${CUSTOMER_OF_PROOF}, true,
         traveler.health_data_consent ->> 'source', traveler.health_data_consent ->> 'textVersion',
         (traveler.health_data_consent ->> 'givenAt')::timestamptz, $1::timestamptz
       from booking_travelers traveler join bookings booking on booking.id = traveler.booking_id
       where traveler.health_data_consent is not null
         and not exists (select from traveler_consents known where known.traveler_id = traveler.id)
       order by traveler.id limit $2::int
       on conflict (id) do nothing`,
      [this.clock.now(), limit],
    );
    return count;
  }

  /** Whether the traveler has answers that need a consent to the use of health data. */
  async hasHealthAnswers(travelerId: string): Promise<boolean> {
    const found = await this.database.query(
      `select from booking_answers answer join product_questions question on question.id = answer.question_id
       where answer.traveler_id = $1 and question.health_data limit 1`,
      [travelerId],
    );
    return found.length > 0;
  }

  /** Locks all travelers of a booking, of which there are at most 200. Returns them in their order. */
  async lockAllOf(bookingId: string): Promise<BookingTraveler[]> {
    const locked = await this.travelers.read({
      text: `select ${this.travelers.columns('traveler')} from booking_travelers traveler
        where traveler.booking_id = $1 order by traveler.id for update`,
      values: [bookingId],
    });
    return locked.sort((one, other) => one.position - other.position);
  }

  /** The seats of an item with a traveler, in the order of their numbers. */
  async seatsOf(itemId: string): Promise<Seat[]> {
    return this.database.query<Seat>(
      'select seat, traveler_id as "travelerId" from booking_item_travelers where item_id = $1 order by seat',
      [itemId],
    );
  }

  /** The travelers with a seat of an active item of the booking. */
  async seatedIn(bookingId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select distinct seat.traveler_id as id from booking_item_travelers seat
       join booking_items item on item.id = seat.item_id
       where item.booking_id = $1 and item.status <> 'cancelled'`,
      [bookingId],
    );
    return rows.map(({ id }) => id);
  }

  async replaceSeats(itemId: string, seats: readonly Seat[]): Promise<void> {
    await this.database.execute('delete from booking_item_travelers where item_id = $1', [itemId]);
    await this.database.execute(
      `insert into booking_item_travelers (item_id, seat, traveler_id)
       select $1, given.seat, given.traveler from unnest($2::int[], $3::text[]) as given (seat, traveler)`,
      [itemId, seats.map(({ seat }) => seat), seats.map(({ travelerId }) => travelerId)],
    );
  }

  /** The traveler leaves all seats. */
  async leaveSeats(travelerId: string): Promise<void> {
    await this.database.execute('delete from booking_item_travelers where traveler_id = $1', [travelerId]);
  }

  /** Also deletes the seats. */
  async delete(ids: readonly string[]): Promise<void> {
    await this.database.execute('delete from booking_travelers where id = any($1)', [ids]);
  }

  /** Moves the travelers that are these customers to another one. Returns their former customers. */
  async moveToCustomer(
    customerId: string,
    duplicateIds: readonly string[],
  ): Promise<{ id: string; customerId: string }[]> {
    return this.database.query(
      `update booking_travelers traveler set customer_id = $1, version = traveler.version + 1
       from (
         select id, customer_id from booking_travelers where customer_id = any($2) order by id for update
       ) as former
       where former.id = traveler.id
       returning traveler.id, former.customer_id as "customerId"`,
      [customerId, duplicateIds],
    );
  }

  /** Returns whether the traveler belonged to the customer and has moved. */
  async moveBack(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
    const { count } = await this.database.execute(
      'update booking_travelers set customer_id = $3, version = version + 1 where id = $1 and customer_id = $2',
      [id, from, to],
    );
    return count > 0;
  }

  /** Erases documents, health data and emergency contacts of travelers of at most `limit` bookings. Returns their number. */
  async eraseTravelData(days: number, { today, limit }: { today: string; limit: number }): Promise<number> {
    const { count } = await this.database.execute(
      `update booking_travelers set ${NO_TRAVEL_DATA}, version = version + 1
       where booking_id in (
         select booking.id from bookings booking
         where coalesce(
             greatest(booking.return_date, booking.end_date), booking.departure_date,
             case when booking.status in ('completed', 'cancelled') then booking.updated_at::date end
           ) < $1::date - $2::int
           and exists (select from booking_travelers kept where kept.booking_id = booking.id and ${TRAVEL_DATA})
         order by booking.id limit $3)`,
      [today, days, limit],
    );
    return count;
  }

  /** Erases documents, health data and emergency contacts of these travelers. */
  async eraseTravelDataOf(ids: readonly string[]): Promise<void> {
    await this.database.execute(
      `update booking_travelers set ${NO_TRAVEL_DATA}, version = version + 1 where id = any($1)`,
      [ids],
    );
  }

  private async read(conditions: string, values: unknown[]): Promise<TravelerView[]> {
    const found = await this.database.read<BookingTraveler, ViewColumns>(BookingTraveler, {
      text: `select ${this.travelers.columns('traveler')}, ${ITEM_IDS}, ${REQUIRED}, ${WARNINGS}, ${openOf(`$${values.length + 1}`)}
        from booking_travelers traveler where ${conditions}`,
      values: [...values, this.clock.today()],
    });
    return found.map(({ entity, raw }) => ({
      ...{ traveler: entity, itemIds: raw.item_ids, required: raw.required, warnings: raw.warnings },
      openQuestions: raw.open_questions,
    }));
  }
}
