import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reminders, ReminderSources } from '../../notifications/index.js';
import { BookingFollowers } from '../bookings/booking-followers.js';
import { BookingTargets } from './booking-targets.service.js';

/** After all who may refuse the change. */
const ORDER = 50;

/** Lets reminders follow a booking, in its transactions. */
@Injectable()
export class BookingReminders implements OnModuleInit {
  constructor(
    private readonly bookings: BookingFollowers,
    private readonly sources: ReminderSources,
    private readonly reminders: Reminders,
    private readonly targets: BookingTargets,
  ) {}

  onModuleInit(): void {
    this.sources.register(this.targets);
    const follow = ({ id }: { id: string }) => this.reminders.follow(this.targets, id);
    this.bookings.register(ORDER, { confirmed: follow, cancelled: follow, dateMoved: follow });
  }
}
