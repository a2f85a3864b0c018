import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Reminders } from '../../notifications/index.js';
import type { BookingSummary } from '../bookings/booking-facts.js';
import { BookingListener } from '../bookings/booking-listener.js';

/** Schedules and cancels the reminders of a booking, in its transactions. Last, as the others may reject the change. */
@Injectable()
@Listens(BookingListener, 50)
export class BookingReminders implements BookingListener {
  constructor(private readonly reminders: Reminders) {}

  async confirmed(booking: BookingSummary): Promise<void> {
    await this.follow(booking);
  }

  async cancelled(booking: BookingSummary): Promise<void> {
    await this.follow(booking);
  }

  async dateMoved(booking: BookingSummary): Promise<void> {
    await this.follow(booking);
  }

  private async follow({ id }: BookingSummary): Promise<void> {
    await this.reminders.follow(id, ['departure_upcoming', 'booking_confirmed']);
  }
}
