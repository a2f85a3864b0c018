import { Injectable } from '@nestjs/common';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/id.js';
import { BookingListener } from '../bookings/booking-listener.js';
import { BookingJournal, imageOfItem } from '../bookings/booking-journal.js';
import { BookingRows } from '../bookings/booking-rows.service.js';
import type { Booking } from '../bookings/booking.entity.js';
import type { CreateBookingItem, UpdateBookingItem } from './booking-item.dto.js';
import type { BookingItem } from './booking-item.entity.js';
import { type ItemPlace, ItemRows } from './item-rows.service.js';
import { toBookingItemSummary } from './item-facts.js';
import { claimOf, type ItemClaim, ItemUnits, takesMore } from './item-units.service.js';
import { newBookingItem } from './new-booking-item.js';

/** So many that are not cancelled, for they stand on one invoice. */
const MOST_ITEMS = 500;

/** An item, and the versions of it that a change is meant for. */
export type ItemTarget = ItemPlace & { expected: ExpectedVersions };

/** The items of bookings. Each change holds the booking, and moves its total and whoever follows it. */
@Injectable()
export class BookingItems {
  constructor(
    private readonly rows: BookingRows,
    private readonly items: ItemRows,
    private readonly listeners: Listeners,
    private readonly journal: BookingJournal,
    private readonly units: ItemUnits,
  ) {}

  /**
   * Throws 404, 409 `booking_closed`, `item_limit_reached`, `channel_inactive` and what `ItemUnits.take`
   * throws, 422 `channel_mismatch`, `invalid_initial_status`, `negative_total`. `hasUnits`: the caller has sold the
   * departure's units to it already.
   */
  async add(
    bookingId: string,
    input: CreateBookingItem,
    { id = newId('bkit'), hasUnits = false } = {},
  ): Promise<BookingItem> {
    const { status = 'confirmed' } = input;
    if (status !== 'confirmed') throw unprocessable('invalid_initial_status', `A new item cannot be ${status}`);

    return this.rows.change(bookingId, null, async (booking, now) => {
      booking.assertItemsOpen();
      if ((await this.items.countLive(bookingId)) >= MOST_ITEMS) {
        throw conflict('item_limit_reached', `A booking has at most ${MOST_ITEMS} items`, { limit: MOST_ITEMS });
      }
      const item = newBookingItem(input, { id, booking, now });
      await this.units.assertSelling(booking.channelId, item);
      await this.place(item, null);
      const store = async () => {
        await this.items.insert(item);
        if (!hasUnits) await this.units.take(claimOf(item));
        this.journal.item('create', item, { before: null });
      };
      await this.move(booking, { now, cents: item.totalSellCents, store });
      return item;
    });
  }

  /**
   * Throws 404, 409 `booking_closed`, `booking_item_cancelled`, `channel_inactive` and what
   * `ItemUnits.take` throws, 412, 422 `channel_mismatch`, `negative_total`.
   */
  async update(target: ItemTarget, changes: UpdateBookingItem, reason: string | null = null): Promise<BookingItem> {
    return this.change(target, async ({ booking, item, now }) => {
      const [before, beforeCents, had] = [imageOfItem(item), item.totalSellCents, claimOf(item)];
      item.change(changes, now);
      const has = claimOf(item);
      if (takesMore(had, has)) await this.units.assertSelling(booking.channelId, has);
      await this.place(item, had, { isDated: changes.serviceDate !== undefined });
      const cents = item.totalSellCents - beforeCents;
      const store = async () => {
        await this.items.update(item);
        await this.units.exchange(had, has);
        this.journal.item('update', item, { before, reason });
      };
      const facts = await this.move(booking, { now, cents, store });
      await this.listeners.call(BookingListener, (listener) =>
        listener.itemChanged?.(facts, toBookingItemSummary(item)),
      );
    });
  }

  /** Throws 404, 409 `booking_closed`, `invalid_transition`, 412, 422 `negative_total`. */
  async cancel(target: ItemTarget, reason: string | null): Promise<BookingItem> {
    return this.change(target, async ({ booking, item, now }) => {
      const before = imageOfItem(item);
      item.cancel(reason, now);
      await this.units.hold(item);
      const store = async () => {
        await this.items.update(item);
        await this.units.giveBack([claimOf(item)]);
        this.journal.item('cancel', item, { before, reason });
      };
      const facts = await this.move(booking, { now, cents: -item.totalSellCents, store });
      await this.listeners.call(BookingListener, (listener) =>
        listener.itemCancelled?.(facts, toBookingItemSummary(item)),
      );
    });
  }

  /** Holds the departures, old and new, and takes the day from a new one, or instead of a day that was sent. */
  private async place(item: BookingItem, had: ItemClaim | null, { isDated = false } = {}): Promise<void> {
    const departures = await this.units.hold(item, ...(had ? [had] : []));
    const departure = departures.get(item.departureId ?? '');
    if (departure && (isDated || departure.id !== had?.departureId)) item.serviceDate = departure.startDate;
  }

  private async change(
    target: ItemTarget,
    work: (at: { booking: Booking; item: BookingItem; now: Date }) => Promise<void>,
  ): Promise<BookingItem> {
    return this.rows.change(target.bookingId, null, async (booking, now) => {
      const item = await this.items.get(target);
      assertVersion(target.expected, item);
      booking.assertItemsOpen();
      await work({ booking, item, now });
      return item;
    });
  }

  /** Stores the change and what it makes of the booking: its total, its departure date, and its version in any case. */
  private async move(
    booking: Booking,
    { now, cents, store }: { now: Date; cents: number; store: () => Promise<void> },
  ) {
    const before = await this.rows.factsOf(booking);
    booking.addToTotal(cents, now);
    await store();
    await this.rows.update(booking);
    const facts = await this.rows.factsOf(booking);
    const { totalCents: afterCents } = facts;
    if (afterCents !== null && before.totalCents !== afterCents) {
      await this.listeners.call(BookingListener, (listener) =>
        listener.totalChanged?.(facts, before.totalCents, afterCents),
      );
    }
    if (before.departureDate !== facts.departureDate) {
      await this.listeners.call(BookingListener, (listener) => listener.dateMoved?.(facts, before.departureDate));
    }
    return facts;
  }
}
