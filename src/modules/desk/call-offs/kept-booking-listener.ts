import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type BookingItemSummary, BookingListener, type BookingSummary } from '../../bookings/index.js';
import { CallOffsRepository } from './call-offs.repository.js';
import { TasksService } from '../tasks/tasks.service.js';

/** The task about a booking that was kept is done when the booking has left the departures that are called off. */
@Injectable()
@Listens(BookingListener, 90)
export class KeptBookingListener implements BookingListener {
  constructor(
    private readonly database: Database,
    private readonly callOffs: CallOffsRepository,
    private readonly tasks: TasksService,
  ) {}

  async cancelled({ id }: BookingSummary): Promise<void> {
    for (const callOffId of await this.callOffs.keeping(id)) {
      await this.tasks.close({ source: 'departure_called_off', dedupeKey: `${callOffId}:${id}` });
    }
  }

  async itemCancelled(booking: BookingSummary): Promise<void> {
    if (!(await this.isOnCalledOff(booking.id))) await this.cancelled(booking);
  }

  async itemChanged(booking: BookingSummary, _: BookingItemSummary): Promise<void> {
    await this.itemCancelled(booking);
  }

  private async isOnCalledOff(bookingId: string): Promise<boolean> {
    const found = await this.database.prepared(
      'kept-booking',
      `select from booking_items i join departures d on d.id = i.departure_id
       where i.booking_id = $1 and i.status <> 'cancelled' and d.status = 'called_off' limit 1`,
      [bookingId],
    );
    return found.length > 0;
  }
}
