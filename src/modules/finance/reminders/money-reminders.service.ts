import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BookingFollowers } from '../../bookings/index.js';
import { Reminders, ReminderSources } from '../../notifications/index.js';
import { SettlementFollowers } from '../payment-plans/settlement-followers.js';
import { InvoiceTargets } from './invoice-targets.service.js';
import { PaidBookingTargets } from './paid-booking-targets.service.js';
import { ScheduleTargets } from './schedule-targets.service.js';

/** After plans (10), invoices (20) and commissions (30): what they did is what is reminded of. */
const ORDER = 40;

/** Lets reminders follow what is owed, in the transactions that change it: nobody is reminded of what is paid. */
@Injectable()
export class MoneyReminders implements OnModuleInit {
  constructor(
    private readonly bookings: BookingFollowers,
    private readonly settlements: SettlementFollowers,
    private readonly sources: ReminderSources,
    private readonly reminders: Reminders,
    private readonly schedules: ScheduleTargets,
    private readonly invoices: InvoiceTargets,
    private readonly paid: PaidBookingTargets,
  ) {}

  onModuleInit(): void {
    for (const source of [this.schedules, this.invoices, this.paid]) this.sources.register(source);
    this.settlements.register((bookingId) => this.installmentsChanged(bookingId));
    this.bookings.register(ORDER, {
      confirmed: ({ id }) => this.reminders.follow(this.paid, id),
      cancelled: async ({ id }) => {
        await this.installmentsChanged(id);
        await this.invoicesChanged(id);
      },
    });
  }

  /** An invoice of the booking was issued, paid, or is no longer either. */
  async invoicesChanged(bookingId: string): Promise<void> {
    await this.reminders.follow(this.invoices, bookingId);
  }

  private async installmentsChanged(bookingId: string): Promise<void> {
    await this.reminders.follow(this.schedules, bookingId);
    await this.reminders.follow(this.paid, bookingId);
  }
}
