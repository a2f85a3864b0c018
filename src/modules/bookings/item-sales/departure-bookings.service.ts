import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AllotmentsService } from '../../distribution/index.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';
import { BookingListener } from '../bookings/booking-listener.js';
import { type BookingSummary, toBookingItemSummary, toBookingSummary } from '../bookings/booking-summary.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { BookingsService } from '../bookings/bookings.service.js';

/** A locked booking, and its live items on the departure that is called off. */
interface LockedBooking {
  booking: BookingSummary;
  items: BookingItem[];
  /** Whether it has a live unit elsewhere, so that the rest of it stays. */
  isKept: boolean;
}

/** Takes bookings from a departure, often one that is called off, each as a whole: all of its items there, or none. */
@Injectable()
export class DepartureBookingsService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly allotments: AllotmentsService,
    private readonly listeners: Listeners,
  ) {}

  /** Locks the booking; null if it has no live item left on the departure. */
  async lock(bookingId: string, departureId: string): Promise<BookingSummary | null> {
    const locked = await this.lockOn(bookingId, departureId);
    return locked.items.length === 0 ? null : locked.booking;
  }

  /**
   * Moves its items to another departure by the rules of a sale: from the slot of their allotment if it has one there, otherwise
   * from the pool. Prices stay unless `isRepriced`. If the caller informs the customer, `isAnnounced` prevents the mail about another
   * day. Returns null if it has no live item left on the departure.
   */
  async rebook(
    bookingId: string,
    move: {
      departureId: string;
      targetDepartureId: string;
      isRepriced: boolean;
      isAnnounced: boolean;
      reason: string;
    },
  ): Promise<BookingSummary | null> {
    const { departureId, targetDepartureId, isRepriced, isAnnounced, reason } = move;
    return this.database.transaction(async () => {
      const { items } = await this.lockOn(bookingId, departureId);
      if (items.length === 0) return null;
      const moved: BookingItem[] = [];
      for (const { id: itemId, allotmentId } of items) {
        const isAllotted =
          allotmentId !== null && (await this.allotments.hasOpenSlot({ allotmentId, departureId: targetDepartureId }));
        const item = await this.items.update(
          { bookingId, itemId, expected: null },
          { departureId: targetDepartureId, allotmentId: isAllotted ? allotmentId : null },
          { reason, keepsMissingRate: true, rebooking: { isRepriced, isAnnounced } },
        );
        moved.push(item);
      }
      const summaries = moved.map(toBookingItemSummary);
      await this.listeners.call(BookingListener, (listener) => listener.rebooked?.(bookingId, summaries));
      return this.bookings.getSummary(bookingId);
    });
  }

  /**
   * Cancels its items of the departure, or the whole booking if no other unit of it is live; without a fee, because the customer
   * did not cancel, and without a mail, which the caller sends. Returns null if it has no live item left on the departure.
   */
  async cancel(
    bookingId: string,
    {
      departureId,
      initiator,
      reason,
    }: { departureId: string; initiator: 'operator' | 'force_majeure'; reason: string },
  ): Promise<{ booking: BookingSummary; isWhole: boolean } | null> {
    return this.database.transaction(async () => {
      const { items, isKept } = await this.lockOn(bookingId, departureId);
      if (items.length === 0) return null;
      if (!isKept) await this.bookings.cancel(bookingId, { reason, initiator, informCustomer: false }, null);
      else {
        for (const { id: itemId } of items) {
          await this.items.cancel({ bookingId, itemId, expected: null }, { reason, isAnnounced: true });
        }
      }
      return { booking: await this.bookings.getSummary(bookingId), isWhole: !isKept };
    });
  }

  private async lockOn(bookingId: string, departureId: string): Promise<LockedBooking> {
    await this.listeners.call(BookingListener, (listener) => listener.beforeLock?.(bookingId));
    const booking = toBookingSummary(await this.repository.bookings.lock(bookingId));
    const active = await this.repository.activeItems(bookingId);
    const isKept = active.some((item) => item.type === 'unit' && item.departureId !== departureId);
    return { booking, items: active.filter((item) => item.departureId === departureId), isKept };
  }
}
