import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reminders } from '../../notifications/index.js';
import { BookingFollowers } from '../bookings/booking-followers.js';

/** After all who may refuse the change. */
const ORDER = 50;

/** Lets reminders follow a booking, in its transactions. */
@Injectable()
export class BookingReminders implements OnModuleInit {
  constructor(
    private readonly bookings: BookingFollowers,
    private readonly reminders: Reminders,
  ) {}

  onModuleInit(): void {
    const follow = ({ id }: { id: string }) => this.reminders.follow(id, ['departure_upcoming', 'booking_confirmed']);
    this.bookings.register(ORDER, { confirmed: follow, cancelled: follow, dateMoved: follow });
  }
}
