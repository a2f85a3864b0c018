import { Injectable } from '@nestjs/common';
import { Listens } from '../../platform/discovery/listeners.js';
import { type BookingItemSummary, BookingListener, type BookingSummary } from '../bookings/index.js';
import { CommissionFollowers } from './commissions/commission-followers.service.js';
import { InvoicedBookings } from './invoices/invoiced-bookings.service.js';
import { PlanFollowers } from './payment-plans/plan-followers.service.js';
import { MoneyReminders } from './reminders/money-reminders.service.js';

/** What finance does when a booking changes, in the transaction of the change and with the booking locked. */
@Injectable()
@Listens(BookingListener, 10)
export class FinanceBookingListener implements BookingListener {
  constructor(
    private readonly plans: PlanFollowers,
    private readonly invoices: InvoicedBookings,
    private readonly commissions: CommissionFollowers,
    private readonly reminders: MoneyReminders,
  ) {}

  async confirmed(booking: BookingSummary): Promise<void> {
    await this.plans.confirmed(booking);
    await this.commissions.confirmed(booking);
    await this.reminders.confirmed(booking);
  }

  async cancelled(booking: BookingSummary, reason: string): Promise<void> {
    await this.plans.cancelled(booking, reason);
    await this.commissions.cancelled(booking, reason);
    await this.reminders.cancelled(booking);
  }

  /** The plan first: it releases invoices' money, and its installments decide about the commissions. Throws 409 `booking_invoiced`. */
  async totalChanged(booking: BookingSummary, beforeCents: number | null, afterCents: number): Promise<void> {
    await this.plans.totalChanged(booking, beforeCents, afterCents);
    await this.invoices.totalChanged(booking, beforeCents, afterCents);
    await this.commissions.totalChanged(booking);
  }

  async itemChanged(booking: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.commissions.itemChanged(booking, item);
  }

  async itemCancelled(booking: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.commissions.itemCancelled(booking, item);
  }

  async dateMoved(booking: BookingSummary): Promise<void> {
    await this.commissions.dateMoved(booking);
  }
}
