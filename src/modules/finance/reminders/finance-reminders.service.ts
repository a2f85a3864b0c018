import { Injectable } from '@nestjs/common';
import { type LiveTrigger, RemindersService } from '../../notifications/index.js';

const OF_INSTALLMENTS: readonly LiveTrigger[] = ['deposit_due', 'balance_due', 'installment_due', 'payment_complete'];
const OF_INVOICES: readonly LiveTrigger[] = ['invoice_due'];

/** Updates the reminders of a booking's installments and invoices, in the transaction that changes these. */
@Injectable()
export class FinanceRemindersService {
  constructor(private readonly reminders: RemindersService) {}

  async bookingConfirmed(bookingId: string): Promise<void> {
    await this.reminders.reschedule(bookingId, ['payment_complete']);
  }

  async bookingCancelled(bookingId: string): Promise<void> {
    await this.reminders.reschedule(bookingId, [...OF_INSTALLMENTS, ...OF_INVOICES]);
  }

  /** Installments of the booking, or what is paid on them, have changed. */
  async installmentsChanged(bookingId: string): Promise<void> {
    await this.reminders.reschedule(bookingId, OF_INSTALLMENTS);
  }

  /** An invoice of the booking was issued, paid or voided, or is no longer paid. */
  async invoicesChanged(bookingId: string): Promise<void> {
    await this.reminders.reschedule(bookingId, OF_INVOICES);
  }
}
