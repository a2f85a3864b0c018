import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Reminders } from '../../notifications/index.js';
import { type DepartureFacts, DepartureListener } from '../../operations/index.js';
import { BookingRows } from '../bookings/booking-rows.service.js';
import { departureIn } from '../items/departure-in.js';

const FOLLOW_JOB = 'bookings.departure-reminders';

/**
 * Nobody is reminded of the day on which a departure started before. Those reminders end in the transaction that moves it;
 * the new ones are planned by a job, one booking after the other: whoever plans holds the booking, and who moves the
 * departure holds that already.
 */
@Injectable()
@Listens(DepartureListener, 210)
export class DepartureReminders implements DepartureListener {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingRows,
    private readonly reminders: Reminders,
    private readonly jobs: Jobs,
  ) {}

  @Job(FOLLOW_JOB)
  async followMoved(payload: unknown): Promise<void> {
    await this.follow(departureIn(payload));
  }

  async moved({ id, startDate }: DepartureFacts, before: DepartureFacts): Promise<void> {
    if (startDate === before.startDate) return;
    await this.reminders.letGo(await this.bookingsOf(id), 'departure_upcoming');
    await this.jobs.add(FOLLOW_JOB, { departureId: id });
  }

  /** Also those that are back on the day of before: what was ended for them is planned again. */
  async follow(departureId: string): Promise<void> {
    for (const bookingId of await this.bookingsOf(departureId)) {
      await this.database.transaction(async () => {
        await this.bookings.lock(bookingId);
        await this.reminders.follow(bookingId, ['departure_upcoming']);
      });
    }
  }

  private async bookingsOf(departureId: string): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select distinct booking_id as id from booking_items where departure_id = $1 and status = 'confirmed' order by id`,
      [departureId],
    );
    return found.map(({ id }) => id);
  }
}
