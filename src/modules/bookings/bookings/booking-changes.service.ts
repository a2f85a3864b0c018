import { Injectable } from '@nestjs/common';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { ChannelsService } from '../../distribution/index.js';
import { ItemRows } from '../items/item-rows.service.js';
import { completePolicy } from '../payment-policies/payment-policy.js';
import type { UpdateBooking } from './booking.dto.js';
import type { Booking, BookingChanges as Changes } from './booking.entity.js';
import { BookingListener } from './booking-listener.js';
import { BookingJournal, imageOfBooking } from './booking-journal.js';
import { BookingRows, type BookingView } from './booking-rows.service.js';

/** What people do with a booking as a whole. Whoever follows it takes part in the transaction, or refuses it. */
@Injectable()
export class BookingChanges {
  constructor(
    private readonly rows: BookingRows,
    private readonly items: ItemRows,
    private readonly channels: ChannelsService,
    private readonly listeners: Listeners,
    private readonly journal: BookingJournal,
  ) {}

  /**
   * Throws 404, 409 `booking_closed`, `currency_immutable`, `booking_number_taken`, `channel_archived`, 412, 422
   * `channel_mismatch`, `invalid_payment_policy`.
   */
  async update(id: string, body: UpdateBooking, expected: ExpectedVersions): Promise<BookingView> {
    const changes = changesOf(body);
    return this.rows.change(id, expected, async (booking, now) => {
      const before = imageOfBooking(booking);
      const { departureDate, channelId } = await this.rows.factsOf(booking);
      booking.change(changes, now);
      if (booking.channelId !== null && booking.channelId !== channelId) {
        await this.channels.assertUsable(booking.channelId);
        await this.items.assertSoldBy(booking.channelId, id);
      }
      await this.store(booking);
      // Names and addresses stand in no image; that they were changed does.
      const after = { ...imageOfBooking(booking), changed: Object.keys(changes).sort() };
      this.journal.booking('update', booking, { before, after });
      const facts = await this.rows.factsOf(booking);
      if (facts.departureDate !== departureDate) {
        await this.listeners.call(BookingListener, (listener) => listener.dateMoved?.(facts, departureDate));
      }
      return this.rows.viewOf(booking);
    });
  }

  /** Cancels the items with it; money stays where it is. Throws 404, 409 `invalid_transition`, 412. */
  async cancel(id: string, reason: string, expected: ExpectedVersions): Promise<BookingView> {
    return this.rows.change(id, expected, async (booking, now) => {
      const before = imageOfBooking(booking);
      booking.cancel(reason, now);
      await this.rows.update(booking);
      const cancelledItemIds = await this.items.cancelAll(id, reason, now);
      const after = { ...imageOfBooking(booking), cancelledItemIds };
      this.journal.booking('cancel', booking, { before, after, reason });
      const facts = await this.rows.factsOf(booking);
      await this.listeners.call(BookingListener, (listener) => listener.cancelled?.(facts, reason));
      return this.rows.viewOf(booking);
    });
  }

  private async store(booking: Booking): Promise<void> {
    if (await this.rows.updateUnlessTaken(booking)) return;
    throw conflict('booking_number_taken', 'Another booking already has this number', { number: booking.number });
  }
}

function changesOf({ paymentPolicy, ...fields }: UpdateBooking): Changes {
  if (paymentPolicy === undefined) return fields;
  return { ...fields, paymentPolicy: paymentPolicy && completePolicy(paymentPolicy, 'paymentPolicy') };
}
