import { Injectable } from '@nestjs/common';
import { Listens } from '../../platform/discovery/listeners.js';
import {
  type BilledAmounts,
  type BookingCancellation,
  type BookingItemSummary,
  BookingListener,
  type BookingSummary,
  type TotalChange,
} from '../bookings/index.js';
import { RemindersService } from '../notifications/index.js';
import { BookingAccountsService } from './receivables/account/booking-accounts.service.js';
import { CommissionsService } from './commissions/commissions.service.js';
import { InvoicesService } from './receivables/invoices/invoices.service.js';
import { PaymentPlansService } from './receivables/plans/payment-plans.service.js';
import { BilledTaxesService } from './books/tax-allocation/billed-taxes.service.js';
import { INSTALLMENT_TRIGGERS, INVOICE_TRIGGERS } from './receivables/reminders/reminder-triggers.js';
import { FinanceSettingsService } from './books/settings/finance-settings.service.js';
import { SettlementsService } from './receivables/settlements/settlements.service.js';

/** Updates finance when a booking changes, in the transaction of the change and with the booking locked. */
@Injectable()
@Listens(BookingListener, 10)
export class FinanceBookingListener implements BookingListener {
  constructor(
    private readonly accounts: BookingAccountsService,
    private readonly plans: PaymentPlansService,
    private readonly invoices: InvoicesService,
    private readonly commissions: CommissionsService,
    private readonly settlements: SettlementsService,
    private readonly reminders: RemindersService,
    private readonly groups: BilledTaxesService,
    private readonly settings: FinanceSettingsService,
  ) {}

  async confirmed(booking: BookingSummary): Promise<void> {
    await this.plans.confirm(await this.accounts.lockOf(booking));
    await this.commissions.accrue(booking);
    await this.reminders.reschedule(booking.id, [...INSTALLMENT_TRIGGERS, ...INVOICE_TRIGGERS]);
  }

  async cancelled(booking: BookingSummary, cancellation: BookingCancellation): Promise<void> {
    const { reason } = cancellation;
    const account = await this.accounts.lockOf(booking);
    await this.invoices.deleteDrafts(account);
    await this.settlements.open(account, cancellation);
    await this.plans.cancelOpen(account, reason);
    await this.commissions.reverseOfBooking(booking.id, reason);
    await this.reminders.reschedule(booking.id, [...INSTALLMENT_TRIGGERS, ...INVOICE_TRIGGERS]);
    await this.reminders.rescheduleChanged(booking.id, 'booking_cancelled');
  }

  async reinstated(booking: BookingSummary, items: readonly BookingItemSummary[], reason: string): Promise<void> {
    const planBefore = await this.settlements.reinstate(booking.id);
    await this.plans.restore(await this.accounts.lockOf(booking), planBefore, reason);
    await this.commissions.reinstate(
      booking,
      items.map(({ id }) => id),
    );
    await this.reminders.reschedule(booking.id, [...INSTALLMENT_TRIGGERS, ...INVOICE_TRIGGERS, 'booking_cancelled']);
  }

  /**
   * Handles a changed price. If the booking costs more, its plan gets a further installment. If it costs less, the installments
   * shrink, the open ones first; money paid on the others becomes unapplied. Issued invoices do not change: the excess becomes
   * credit due. Finally it applies received money, and updates the reminders of the installments and the commissions that are
   * payable when the booking is paid.
   */
  async totalChanged(booking: BookingSummary, change: TotalChange): Promise<void> {
    const account = await this.accounts.lockOf(booking);
    const increaseCents = change.afterCents - (change.beforeCents ?? 0);
    if (!account.plan && booking.status !== 'draft') await this.plans.startIfMissing(account);
    else if (increaseCents > 0) await this.plans.grow(account, increaseCents, change.reinstatedItemId);
    if (increaseCents < 0) await this.plans.shrink(account, -increaseCents, change.cancelledItemId);
    await this.accounts.applyMoney(account);
    await this.accounts.installmentsChanged(account);
  }

  async itemChanged(booking: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.commissions.recompute(booking, item);
  }

  async itemCancelled(_: BookingSummary, item: BookingItemSummary): Promise<void> {
    await this.commissions.reverseOfItem(item.id);
  }

  async itemReinstated(booking: BookingSummary, { id }: BookingItemSummary): Promise<void> {
    await this.commissions.reinstate(booking, [id]);
  }

  async billedTaxes(bookingId: string): Promise<BilledAmounts[]> {
    const [groups, named] = [await this.groups.byRate(bookingId), await this.groups.byItem(bookingId)];
    const billed = groups.filter(({ grossCents, taxCents }) => grossCents !== 0 || taxCents !== 0);
    return billed.map(({ key, rateBasisPoints, grossCents, taxCents }) => {
      const items = named.filter((item) => item.key === key && item.rateBasisPoints === rateBasisPoints);
      return { taxCodeId: key, rateBasisPoints, grossCents, taxCents, items };
    });
  }

  async isFeeTaxed(): Promise<boolean> {
    return (await this.settings.get()).cancellationFeeTax === 'as_supply';
  }

  async areTaxCodesRequired(): Promise<boolean> {
    return (await this.settings.get()).taxCodesRequired;
  }

  async isBalanceDue(bookingId: string): Promise<boolean> {
    const { plan, installments, ...account } = await this.accounts.read(bookingId);
    return plan === null
      ? (account.booking.totalCents ?? 0) > 0
      : installments.some((installment) => installment.isOpen());
  }

  async openBalance(customerId: string, currency: string): Promise<number> {
    return this.accounts.openBalanceOf(customerId, currency);
  }

  async dateMoved(booking: BookingSummary): Promise<void> {
    const account = await this.accounts.lockOf(booking);
    await this.plans.redate(account);
    await this.accounts.installmentsChanged(account);
  }
}
