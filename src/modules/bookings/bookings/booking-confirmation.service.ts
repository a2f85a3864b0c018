import { Injectable } from '@nestjs/common';
import { Listeners } from '../../../platform/discovery/listeners.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { ItemRows } from '../items/item-rows.service.js';
import { BookingListener } from './booking-listener.js';
import { BookingJournal, imageOfBooking } from './booking-journal.js';
import { BookingRows, type BookingView } from './booking-rows.service.js';
import { BookingTerms } from './booking-terms.service.js';

/** Where a draft becomes a sale, under the terms of that day. Whoever follows it takes part in the transaction. */
@Injectable()
export class BookingConfirmation {
  constructor(
    private readonly rows: BookingRows,
    private readonly items: ItemRows,
    private readonly terms: BookingTerms,
    private readonly listeners: Listeners,
    private readonly journal: BookingJournal,
  ) {}

  /** Throws 404, 409 `invalid_transition`, `booking_not_priced`, 412. */
  async confirm(id: string, expected: ExpectedVersions): Promise<BookingView> {
    return this.rows.change(id, expected, async (booking, now) => {
      const before = imageOfBooking(booking);
      booking.confirm(await this.items.countLive(id), now);
      booking.sellUnder(await this.terms.of(booking));
      await this.rows.update(booking);
      this.journal.booking('confirm', booking, { before, after: imageOfBooking(booking) });
      const facts = await this.rows.factsOf(booking);
      await this.listeners.call(BookingListener, (listener) => listener.confirmed?.(facts));
      return this.rows.viewOf(booking);
    });
  }
}
