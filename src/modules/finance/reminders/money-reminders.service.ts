import { Injectable } from '@nestjs/common';
import type { BookingSummary } from '../../bookings/index.js';
import { type LiveTrigger, RemindersService } from '../../notifications/index.js';

const OF_INSTALLMENTS: readonly LiveTrigger[] = ['deposit_due', 'balance_due', 'installment_due', 'payment_complete'];
const OF_INVOICES: readonly LiveTrigger[] = ['invoice_due'];

/**
 * Lets reminders follow what is owed, in the transactions that change it: after plans (10), invoices (20) and commissions
 * (30), so that nobody is reminded of what is paid.
 */
@Injectable()
export class MoneyReminders {
  constructor(private readonly reminders: RemindersService) {}

  /** Installments of the booking, or what is paid on them, have changed. */
  async installmentsChanged(bookingId: string): Promise<void> {
    await this.reminders.reschedule(bookingId, OF_INSTALLMENTS);
  }

  async confirmed({ id }: BookingSummary): Promise<void> {
    await this.reminders.reschedule(id, ['payment_complete']);
  }

  async cancelled({ id }: BookingSummary): Promise<void> {
    await this.reminders.reschedule(id, [...OF_INSTALLMENTS, ...OF_INVOICES]);
  }

  /** An invoice of the booking was issued, paid, or is no longer either. */
  async invoicesChanged(bookingId: string): Promise<void> {
    await this.reminders.reschedule(bookingId, OF_INVOICES);
  }
}
