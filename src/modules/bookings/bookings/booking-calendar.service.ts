import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { BookingJournal } from './booking-journal.js';
import type { BookingStatus } from './booking-status.js';

const BATCH = 200;

interface Move {
  verb: 'start' | 'complete';
  from: BookingStatus;
  to: BookingStatus;
  /** Whether the day has come for booking `b`; $1 is today. */
  due: string;
}

const dateOfItems = (bound: 'min' | 'max') =>
  `(select ${bound}(i.service_date) from booking_items i where i.booking_id = b.id and i.status <> 'cancelled')`;

const START: Move = {
  verb: 'start',
  from: 'confirmed',
  to: 'in_progress',
  due: `coalesce(${dateOfItems('min')}, b.start_date) <= $1::date`,
};
const COMPLETE: Move = {
  verb: 'complete',
  from: 'in_progress',
  to: 'completed',
  due: `coalesce(${dateOfItems('max')}, b.end_date, b.start_date) < $1::date`,
};

interface Moved {
  id: string;
  number: string;
  currency: string;
  totalCents: string | null;
  version: number;
}

/**
 * Takes bookings through the calendar of the organization: confirmed ones are in progress from the departure date on,
 * and completed, with their items fulfilled, once the last service date has passed. It looks every hour, since a day
 * begins at another hour of UTC in every zone, and a look that was missed is made up for by the next.
 */
@Injectable()
export class BookingCalendar implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly journal: BookingJournal,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('bookings.calendar', '3 * * * *', () => this.turn());
  }

  /** The day of the organization's calendar that it goes by. */
  today(): string {
    return this.clock.today();
  }

  /** Moves all whose day has come; several processes may do so at once, and each batch stands by itself. */
  async turn(): Promise<void> {
    for (const move of [START, COMPLETE]) {
      while ((await this.database.transaction(() => this.moveBatch(move))) === BATCH);
    }
  }

  /** Whoever is being changed at this moment is left to the next look. */
  private async moveBatch({ verb, from, to, due }: Move): Promise<number> {
    const today = this.today();
    const candidates = await this.database.query<{ id: string }>(
      `select b.id from bookings b where b.status = $2 and ${due} order by b.id limit ${BATCH} for update skip locked`,
      [today, from],
    );
    if (candidates.length === 0) return 0;
    // Asked again now that they are held: items may have been moved between the look and the lock.
    const moved = await this.database.query<Moved>(
      `update bookings b set status = $2, version = version + 1, updated_at = $3
       where b.id = any($4) and ${due}
       returning b.id, b.number, b.currency, b.total_cents as "totalCents", b.version`,
      [today, to, this.clock.now(), candidates.map(({ id }) => id)],
    );
    const fulfilled = verb === 'complete' ? await this.fulfil(moved.map(({ id }) => id)) : new Map<string, string[]>();
    for (const { totalCents: total, ...booking } of moved) {
      const totalCents = total === null ? null : Number(total);
      const before = { id: booking.id, status: from, version: booking.version - 1 };
      const after = { id: booking.id, status: to, version: booking.version };
      const fulfilledItemIds = fulfilled.get(booking.id) ?? [];
      const images = { before, after: verb === 'complete' ? { ...after, fulfilledItemIds } : after };
      this.journal.booking(verb, { ...booking, status: to, totalCents }, images);
    }
    return candidates.length;
  }

  private async fulfil(bookingIds: string[]): Promise<Map<string, string[]>> {
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
}
