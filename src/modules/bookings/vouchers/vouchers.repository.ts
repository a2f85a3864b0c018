import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { VoucherAdmission } from '../bookings/booking-listener.js';
import type { ItemType } from '../items/booking-item.entity.js';
import type { VoucherItem } from './voucher-plan.js';
import type { PrintedVoucher } from './voucher-document.js';
import type { ListVouchers } from './voucher.dto.js';
import { Voucher } from './voucher.entity.js';

/** A voucher below its booking. */
export interface VoucherPath {
  bookingId: string;
  voucherId: string;
}

/** A departure with more people has no manifest, and its people are not checked in. */
const MOST_SEATS = 2_001;

/** The types of items whose service is claimed with a voucher. */
const SERVICES: readonly ItemType[] = ['unit', 'extra', 'service', 'accommodation', 'transport', 'other'];

const ITEMS = `
  select item.id, item.status <> 'cancelled' as "isLive", item.unit_id is not null as "isUnit",
    item.quantity * item.people_per_unit as people, product.issue_vouchers as rule,
    array(
      select seat.traveler_id from booking_item_travelers seat where seat.item_id = item.id order by seat.seat
    ) as "travelerIds"
  from booking_items item
  left join departures departure on departure.id = item.departure_id
  left join products product on item.extra_id is null
    and product.id = coalesce(departure.product_id, item.product_id)
  where item.booking_id = $1 and item.type = any($2)
  order by item.created_at, item.id`;

const PRINTED = `
  select voucher.code, booking.number as "bookingNumber", booking.customer_language as language,
    coalesce(departure.product_id, item.product_id) as "productId", item.title as "itemTitle",
    departure.starts_at as "startsAt", departure.ends_at as "endsAt", departure.time_zone as "timeZone",
    item.service_date as "serviceDate", facility.name as "meetingPoint",
    nullif(concat_ws(', ', facility.address_line1, facility.address_line2,
      nullif(concat_ws(' ', facility.address_postal_code, facility.address_city), '')), '') as "meetingAddress",
    case when voucher.traveler_id is null then item.quantity * item.people_per_unit else 1 end as people,
    array(
      select concat_ws(' ', traveler.first_name, traveler.last_name) from booking_item_travelers seat
      join booking_travelers traveler on traveler.id = seat.traveler_id
      where seat.item_id = item.id and traveler.last_name is not null
        and (voucher.traveler_id is null or voucher.traveler_id = traveler.id)
      order by seat.seat
    ) as names
  from vouchers voucher
  join bookings booking on booking.id = voucher.booking_id
  join booking_items item on item.id = voucher.item_id
  left join departures departure on departure.id = item.departure_id
  left join facilities facility on facility.id = departure.facility_id
  where voucher.booking_id = $1 and voucher.status <> 'void' and ($2::text is null or voucher.id = $2)
  order by item.service_date nulls last, item.created_at, item.id, voucher.created_at, voucher.id limit $3`;

/** Reads and writes vouchers. They change only while their booking is locked. */
@Injectable()
export class VouchersRepository {
  readonly vouchers: Rows<Voucher>;

  constructor(private readonly database: Database) {
    this.vouchers = database.rows(Voucher);
  }

  /** Throws 404 also for a voucher of another booking. */
  async get({ bookingId, voucherId }: VoucherPath): Promise<Voucher> {
    const voucher = await this.vouchers.findBy({ id: voucherId, bookingId });
    if (!voucher) throw notFound();
    return voucher;
  }

  async list(bookingId: string, query: ListVouchers): Promise<{ rows: Voucher[]; total: number }> {
    const found = this.vouchers.query('voucher').where('voucher.bookingId = :bookingId', { bookingId });
    filterRows(found, 'voucher.status', query.status);
    sortRows(found, query.sort ?? 'createdAt');
    return this.vouchers.page(found, pageBounds(query));
  }

  /**
   * Returns the items of a booking with a service, and its vouchers, oldest first: the valid ones, and the newest void one of each
   * item and traveler, which may be reinstated.
   */
  async stateOf(bookingId: string): Promise<{ vouchers: Voucher[]; items: VoucherItem[] }> {
    const [vouchers, items] = await this.database.together(() =>
      Promise.all([
        this.vouchers.read({
          text: `select ${this.vouchers.columns('voucher')} from vouchers voucher
            where voucher.booking_id = $1 and (voucher.status <> 'void' or voucher.id in (
              select distinct on (item_id, traveler_id) id from vouchers
              where booking_id = $1 and status = 'void'
                and (traveler_id is null or traveler_id in (select id from booking_travelers where booking_id = $1))
              order by item_id, traveler_id, created_at desc, id desc))
            order by voucher.created_at, voucher.id`,
          values: [bookingId],
        }),
        this.database.query<VoucherItem>(ITEMS, [bookingId, SERVICES]),
      ]),
    );
    return { vouchers, items };
  }

  /** The valid vouchers of these bookings, in the order in which they were issued. */
  async listValid(bookingIds: readonly string[]): Promise<Voucher[]> {
    return this.vouchers.read({
      name: 'vouchers-valid',
      text: `select ${this.vouchers.columns('voucher')} from vouchers as voucher
        where booking_id = any($1) and status <> 'void' order by created_at, id`,
      values: [bookingIds],
    });
  }

  /** Returns valid vouchers of a booking with what is printed on them, in the order of their services. */
  async printed(
    bookingId: string,
    { voucherId, limit }: { voucherId: string | null; limit: number },
  ): Promise<PrintedVoucher[]> {
    return this.database.query<PrintedVoucher>(PRINTED, [bookingId, voucherId, limit]);
  }

  /** Returns what the voucher admits to: the departure of its item, and the seats of the people on it. */
  async admissionOf({ itemId, travelerId }: Voucher): Promise<VoucherAdmission> {
    const [found] = await this.database.query<{ departureId: string | null; people: number; seats: number[] }>(
      `select item.departure_id as "departureId",
         case when $2::text is null then item.quantity * item.people_per_unit else cardinality(own.seats) end as people,
         case when $2::text is null and item.departure_id is not null
           then array(select generate_series(1, least(item.quantity * item.people_per_unit, ${MOST_SEATS})))
           else own.seats end as seats
       from booking_items item
       cross join lateral (
         select array(select seat.seat from booking_item_travelers seat
           where seat.item_id = item.id and seat.traveler_id = $2 order by seat.seat) as seats
       ) own
       where item.id = $1`,
      [itemId, travelerId],
    );
    const { departureId = null, people = 0, seats = [] } = found ?? {};
    return { departureId, people, seats: seats.map((seat) => ({ itemId, seat })) };
  }
}
