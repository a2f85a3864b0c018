import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import type { Booking } from './booking.entity.js';

refuseOn('bookings_number', () => conflict('booking_number_taken', 'Another booking already has this number'));

/** Bookings' own numbers, `B-<year>-<6 digits>`: counted per year of the organization's calendar, unique but not gapless. */
@Injectable()
export class BookingNumbers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Adds the booking under the next number that nobody has taken by hand. */
  async insertNumbered(booking: Booking): Promise<void> {
    do booking.number = await this.next();
    while (!(await this.database.insertUnlessTaken(booking)));
  }

  private async next(): Promise<string> {
    const year = this.clock.today().slice(0, 4);
    const [counter] = await this.database.prepared<{ last_number: number }>(
      'booking-number',
      `insert into booking_number_counters as c (year, last_number) values ($1::int, 1)
       on conflict (year) do update set last_number = c.last_number + 1 returning last_number`,
      [year],
    );
    return `B-${year}-${String(counter?.last_number).padStart(6, '0')}`;
  }
}
