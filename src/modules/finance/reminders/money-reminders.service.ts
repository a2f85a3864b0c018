import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BookingFollowers } from '../../bookings/index.js';
import { type LiveTrigger, Reminders } from '../../notifications/index.js';
import { SettlementFollowers } from '../payment-plans/settlement-followers.js';

/** After plans (10), invoices (20) and commissions (30): what they did is what is reminded of. */
const ORDER = 40;

const OF_INSTALLMENTS: readonly LiveTrigger[] = ['deposit_due', 'balance_due', 'installment_due', 'payment_complete'];
const OF_INVOICES: readonly LiveTrigger[] = ['invoice_due'];

/** Lets reminders follow what is owed, in the transactions that change it: nobody is reminded of what is paid. */
@Injectable()
export class MoneyReminders implements OnModuleInit {
  constructor(
    private readonly bookings: BookingFollowers,
    private readonly settlements: SettlementFollowers,
    private readonly reminders: Reminders,
  ) {}

  onModuleInit(): void {
    this.settlements.register((bookingId) => this.reminders.follow(bookingId, OF_INSTALLMENTS));
    this.bookings.register(ORDER, {
      confirmed: ({ id }) => this.reminders.follow(id, ['payment_complete']),
      cancelled: ({ id }) => this.reminders.follow(id, [...OF_INSTALLMENTS, ...OF_INVOICES]),
    });
  }

  /** An invoice of the booking was issued, paid, or is no longer either. */
  async invoicesChanged(bookingId: string): Promise<void> {
    await this.reminders.follow(bookingId, OF_INVOICES);
  }
}
