import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type BookingSummary, BookingListener } from '../../bookings/index.js';
import { type LiveTrigger, Reminders } from '../../notifications/index.js';
import { SettlementFollowers } from '../payment-plans/settlement-followers.js';

const OF_INSTALLMENTS: readonly LiveTrigger[] = ['deposit_due', 'balance_due', 'installment_due', 'payment_complete'];
const OF_INVOICES: readonly LiveTrigger[] = ['invoice_due'];

/**
 * Lets reminders follow what is owed, in the transactions that change it: after plans (10), invoices (20) and commissions
 * (30), so that nobody is reminded of what is paid.
 */
@Injectable()
@Listens(BookingListener, 40)
export class MoneyReminders implements BookingListener, OnModuleInit {
  constructor(
    private readonly settlements: SettlementFollowers,
    private readonly reminders: Reminders,
  ) {}

  onModuleInit(): void {
    this.settlements.register((bookingId) => this.reminders.follow(bookingId, OF_INSTALLMENTS));
  }

  async confirmed({ id }: BookingSummary): Promise<void> {
    await this.reminders.follow(id, ['payment_complete']);
  }

  async cancelled({ id }: BookingSummary): Promise<void> {
    await this.reminders.follow(id, [...OF_INSTALLMENTS, ...OF_INVOICES]);
  }

  /** An invoice of the booking was issued, paid, or is no longer either. */
  async invoicesChanged(bookingId: string): Promise<void> {
    await this.reminders.follow(bookingId, OF_INVOICES);
  }
}
