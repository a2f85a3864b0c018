import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListBookingItems } from './booking-item.dto.js';
import { BookingItem } from './booking-item.entity.js';
import { type ItemClaim, ItemUnits } from './item-units.service.js';

refuseOn('booking_items_allotment', () => notFound({ field: 'allotmentId' }));

/** Where an item stands: a booking's path leads to its own items alone. */
export interface ItemPlace {
  bookingId: string;
  itemId: string;
}

/** The rows of items. Whoever writes them holds their booking. */
@Injectable()
export class ItemRows {
  constructor(
    private readonly database: Database,
    private readonly units: ItemUnits,
  ) {}

  /** Throws 404, also for an item of another booking. */
  async get({ bookingId, itemId }: ItemPlace): Promise<BookingItem> {
    const item = await this.database.repository(BookingItem).findOneBy({ id: itemId, bookingId });
    if (!item) throw notFound();
    return item;
  }

  /** A page of the booking's items, oldest first. Throws 404 for an unknown booking. */
  async list(bookingId: string, query: ListBookingItems): Promise<{ items: BookingItem[]; total: number }> {
    const found = this.database.repository(BookingItem).createQueryBuilder('item');
    found.where('item.bookingId = :bookingId', { bookingId });
    if (query.status !== undefined) found.andWhere('item.status = :status', { status: query.status });
    found.orderBy('item.createdAt', 'ASC').addOrderBy('item.id', 'ASC');
    const { limit, offset } = pageBounds(query);
    const [items, total] = await found.limit(limit).offset(offset).getManyAndCount();
    if (total === 0) await this.assertBooking(bookingId);
    return { items, total };
  }

  async insert(item: BookingItem): Promise<void> {
    await this.database.insert(item);
  }

  async update(item: BookingItem): Promise<void> {
    await this.database.update(item);
  }

  async countLive(bookingId: string): Promise<number> {
    const [row] = await this.database.prepared<{ count: number }>(
      'booking-items-live',
      `select count(*)::int as count from booking_items where booking_id = $1 and status <> 'cancelled'`,
      [bookingId],
    );
    return row?.count ?? 0;
  }

  /** Whether this channel may have sold them. Throws 422 `channel_mismatch`. */
  async assertSoldBy(channelId: string, bookingId: string): Promise<void> {
    const claims = await this.database.query<Pick<ItemClaim, 'allotmentId'>>(
      `select distinct allotment_id as "allotmentId" from booking_items where booking_id = $1 and status <> 'cancelled'`,
      [bookingId],
    );
    await this.units.assertChannel(channelId, claims);
  }

  /** The departures of live items, each once. */
  async liveDepartures(bookingId: string): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'booking-items-departures',
      `select distinct departure_id as id from booking_items
       where booking_id = $1 and status <> 'cancelled' and departure_id is not null`,
      [bookingId],
    );
    return rows.map(({ id }) => id);
  }

  /** Gives back their units. Returns the ids of those that were live. */
  async cancelAll(bookingId: string, reason: string, now: Date): Promise<string[]> {
    const items = await this.database.query<ItemClaim>(
      `update booking_items
       set status = 'cancelled', cancelled_at = $2, cancel_reason = $3, version = version + 1, updated_at = $2
       where booking_id = $1 and status <> 'cancelled'
       returning id, departure_id as "departureId", allotment_id as "allotmentId", quantity`,
      [bookingId, now, reason],
    );
    await this.units.hold(...items);
    await this.units.giveBack(items);
    return items.map(({ id }) => id).sort();
  }

  private async assertBooking(id: string): Promise<void> {
    const [booking] = await this.database.query('select from bookings where id = $1', [id]);
    if (!booking) throw notFound();
  }
}
