import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Columns } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { type BookingSummary, toBookingSummary } from './booking-facts.js';
import { Booking } from './booking.entity.js';

/** A booking as it is answered: its columns and the day on which it departs. */
export type BookingView = Columns<Booking> & { departureDate: string | null };

/** The rows of bookings, for the services of this module. */
@Injectable()
export class BookingRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Does the work in a transaction that holds the booking. Throws 404, 412. */
  async change<T>(
    id: string,
    expected: ExpectedVersions,
    work: (booking: Booking, now: Date) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const booking = await this.lock(id);
      assertVersion(expected, booking);
      return work(booking, this.clock.now());
    });
  }

  /** Holds the booking until the end of the running transaction: its items and money stand still. Throws 404. */
  async lock(id: string, details?: { field: string }): Promise<Booking> {
    const lock = { mode: 'pessimistic_write' } as const;
    return (await this.database.repository(Booking).findOne({ where: { id }, lock })) ?? refuseUnknown(details);
  }

  /** Throws 404. */
  async get(id: string): Promise<Booking> {
    return (await this.database.repository(Booking).findOneBy({ id })) ?? refuseUnknown();
  }

  async update(booking: Booking): Promise<void> {
    await this.database.update(booking);
  }

  /** False where another booking has its number. */
  async updateUnlessTaken(booking: Booking): Promise<boolean> {
    return this.database.updateUnlessTaken(booking);
  }

  async viewOf(booking: Booking): Promise<BookingView> {
    return Object.assign({}, booking, { departureDate: await this.departureOf(booking) });
  }

  async factsOf(booking: Booking): Promise<BookingSummary> {
    return toBookingSummary(booking, await this.departureOf(booking));
  }

  /** Asked after the lock: a statement that waited for it would still see the items of before. */
  private async departureOf(booking: Booking): Promise<string | null> {
    const [items] = await this.database.prepared<{ first: string | null }>(
      'booking-departure',
      `select min(service_date) as first from booking_items where booking_id = $1 and status <> 'cancelled'`,
      [booking.id],
    );
    return items?.first ?? booking.startDate;
  }
}

function refuseUnknown(details?: { field: string }): never {
  throw notFound(details);
}
