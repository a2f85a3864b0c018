import { Injectable } from '@nestjs/common';
import { Listens } from '../../platform/discovery/listeners.js';
import { type BookingItemSummary, BookingListener, type BookingSummary } from '../bookings/index.js';
import { CommissionsService } from './commissions/commissions.service.js';
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
    private readonly commissions: CommissionsService,
    private readonly reminders: MoneyReminders,
  ) {}

  async confirmed(booking: BookingSummary): Promise<void> {
    await this.plans.confirmed(booking);
    await this.commissions.accrue(booking);
    await this.reminders.confirmed(booking);
  }

  async cancelled(booking: BookingSummary, reason: string): Promise<void> {
    await this.plans.cancelled(booking, reason);
    await this.commissions.reverseOfBooking(booking.id, reason);
    await this.reminders.cancelled(booking);
  }

  /** The plan first: it releases invoices' money, and its installments decide about the commissions. Throws 409 `booking_invoiced`. */
  async totalChanged(booking: BookingSummary, beforeCents: number | null, afterCents: number): Promise<void> {
    await this.plans.totalChanged(booking, beforeCents, afterCents);
    await this.invoices.totalChanged(booking, beforeCents, afterCents);
    await this.commissions.settle(booking.id);
  }

  async itemChanged(_: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.commissions.recompute(item);
  }

  async itemCancelled(_: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.commissions.reverseOfItem(item.id);
  }

  async dateMoved(booking: BookingSummary): Promise<void> {
    await this.commissions.settle(booking.id);
  }
}
