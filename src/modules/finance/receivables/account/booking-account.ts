import { conflict, invalidField, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import type { BookingSummary } from '../../../bookings/index.js';
import type { Invoice } from './invoice.entity.js';
import type { LockedPlan } from './locked-plan.js';
import { OpenDebts, toShare, type UncoveredRefund } from './open-debts.js';
import { type OpenInvoice, Outstanding } from './outstanding.js';
import { overAllocated, type RequestedShare, type Share } from '../../books/index.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';

/** Installments and invoices whose paid amounts changed. */
export interface BalanceChanges {
  invoices: Invoice[];
  installments: PaymentSchedule[];
  /** Those of them that became fully paid. */
  settledInvoices: Invoice[];
  settledInstallments: PaymentSchedule[];
}

/** Money received for a booking. */
export interface AccountMoney {
  receivedCents: number;
  /** Settles nothing. */
  unappliedCents: number;
  /** The part that covers refunds that are requested and not completed. */
  reservedCents: number;
  /** The part of completed refunds and outgoing transfers that no money covers. */
  uncoveredCents: number;
}

/**
 * A booking with its plan, its invoices and their paid amounts, locked together, because money that settles an installment also
 * counts on an invoice. `BookingAccountsService` locks and saves it.
 */
export class BookingAccount {
  constructor(
    readonly booking: BookingSummary,
    /** The current plan; null until the booking has one. */
    public plan: LockedPlan | null,
    /** All invoices, including drafts and void ones. */
    readonly invoices: readonly Invoice[],
    /** The state when the account was locked. */
    readonly money: AccountMoney,
  ) {}

  /** Completed and not reversed receipts and incoming transfers, less refunds and outgoing transfers. */
  get receivedCents(): number {
    return this.money.receivedCents;
  }

  /** Returns the customer's debt for the booking, whether billed or not. */
  claimCents(): number {
    const { status, totalCents } = this.booking;
    if (status === 'draft') return this.billedCents();
    if (status === 'cancelled') return this.agreedFeeCents();
    return (totalCents ?? 0) - (this.plan?.waivedCents() ?? 0);
  }

  /** Returns the total of the issued invoices that are not void, less the credited amounts. */
  billedCents(): number {
    return this.issuedInvoices().reduce((sum, invoice) => sum + invoice.uncreditedCents(), 0);
  }

  /** Returns the amount that may still be billed. */
  roomCents(): number {
    return Math.max(0, this.claimCents() - this.billedCents());
  }

  /** Returns the excess of the documents, for which a credit note is due. */
  creditDueCents(): number {
    return Math.max(0, this.billedCents() - this.claimCents());
  }

  get installments(): readonly PaymentSchedule[] {
    return this.plan?.installments ?? [];
  }

  /** Throws 404 if no invoice of the booking has this id. Pass `details` for an id from a body. */
  invoice(id: string, details?: { field: string }): Invoice {
    const found = this.invoices.find((invoice) => invoice.id === id);
    if (!found) throw notFound(details);
    return found;
  }

  /** Returns the installments that an issued invoice requests. */
  invoicedInstallments(): Set<string> {
    return new Set(this.issuedInvoices().flatMap(({ scheduleId }) => scheduleId ?? []));
  }

  /** Counts only issued invoices, because a draft reserves nothing. Invoices of an unconfirmed booking may reach its price. */
  assertInvoiceFits({ totalCents }: { id?: string; totalCents: number }): void {
    const { status, totalCents: priceCents } = this.booking;
    if (priceCents === null && status !== 'cancelled')
      throw conflict('booking_not_priced', 'The booking has no items to invoice');
    const bookingTotalCents = status === 'draft' ? (priceCents ?? 0) : this.claimCents();
    const invoicedCents = this.billedCents();
    if (invoicedCents + totalCents <= bookingTotalCents) return;
    throw unprocessable('invoice_exceeds_booking', 'Total invoiced would exceed the booking total', {
      field: 'totalCents',
      bookingTotalCents,
      invoicedCents,
      totalCents,
    });
  }

  assertNotInvoiced(scheduleId: string): void {
    const existing = this.liveInvoices().find((invoice) => invoice.scheduleId === scheduleId);
    if (!existing) return;
    throw conflict('schedule_already_invoiced', 'The installment is already on another invoice', {
      existingId: existing.id,
    });
  }

  /**
   * Returns whether an issued and unpaid invoice requests the whole booking, or one invoice requests each of these
   * installments.
   */
  hasOpenInvoice(scheduleIds: readonly string[]): boolean {
    const open = this.invoices.filter(({ status }) => status === 'issued' || status === 'partially_paid');
    if (open.some(({ scheduleId }) => scheduleId === null)) return true;
    const requested = new Set(open.map(({ scheduleId }) => scheduleId));
    return scheduleIds.length > 0 && scheduleIds.every((scheduleId) => requested.has(scheduleId));
  }

  /** Returns the outstanding amounts with these invoices. */
  outstanding(invoices: readonly OpenInvoice[] = this.openInvoices()): Outstanding {
    const open = this.installments.filter((installment) => installment.isOpen());
    return new Outstanding(
      open.map((installment) => ({
        id: installment.id,
        dueDate: installment.dueDate,
        position: installment.position,
        outstandingCents: installment.outstandingCents(),
      })),
      invoices,
      this.booking.status === 'cancelled',
    );
  }

  outstandingInstallments(): Outstanding {
    return this.outstanding().withoutInvoices();
  }

  openInvoices(): OpenInvoice[] {
    return this.invoices.flatMap((invoice) => {
      const { id, scheduleId, issueDate } = invoice;
      const outstandingCents = invoice.isBilled() ? invoice.balanceCents() : 0;
      return issueDate !== null && outstandingCents > 0 ? [{ id, scheduleId, issueDate, outstandingCents }] : [];
    });
  }

  /**
   * Returns the debts that received money settles automatically. `refunds` are uncovered; `money` is the money received until
   * now.
   */
  openDebts(refunds: readonly UncoveredRefund[], money: AccountMoney): OpenDebts {
    const { receivedCents, uncoveredCents, unappliedCents, reservedCents } = money;
    const appliedCents = receivedCents + uncoveredCents - unappliedCents - reservedCents;
    return new OpenDebts(this.outstanding(), refunds, this.claimCents() - appliedCents);
  }

  /** Returns the requested shares, to the cent. */
  requestedShares(requested: readonly RequestedShare[], availableCents: number): Share[] {
    const outstanding = this.outstanding();
    let available = availableCents;
    return requested.flatMap((request, index) => {
      this.assertPayable(request, `allocations.${index}`);
      const { scheduleId, invoiceId, amountCents } = request;
      const outstandingCents = outstanding.of(request);
      if (amountCents > Math.min(available, outstandingCents)) throw overAllocated(available, outstandingCents);
      available -= amountCents;
      if (scheduleId === undefined) return outstanding.onInvoice(invoiceId ?? '', amountCents).map(toShare);
      if (invoiceId === undefined) return outstanding.onInstallment(scheduleId, amountCents).map(toShare);
      return outstanding.onBoth({ scheduleId, invoiceId }, amountCents).map(toShare);
    });
  }

  /** Counts shares as paid, or stops counting them. */
  count(shares: readonly Share[], as: 'paid' | 'unpaid'): BalanceChanges {
    const sign = as === 'paid' ? 1 : -1;
    const isBookingCancelled = this.booking.status === 'cancelled';
    const changes: BalanceChanges = { invoices: [], installments: [], settledInvoices: [], settledInstallments: [] };
    for (const invoice of this.invoices) {
      const cents = sumFor(shares, ({ invoiceId }) => invoiceId === invoice.id);
      if (cents === 0) continue;
      invoice.addPaid(sign * cents);
      changes.invoices.push(invoice);
      if (invoice.status === 'paid' && as === 'paid') changes.settledInvoices.push(invoice);
    }
    for (const installment of this.installments) {
      const cents = sumFor(shares, ({ scheduleId }) => scheduleId === installment.id);
      if (cents === 0) continue;
      const wasPaid = installment.status === 'paid';
      installment.addPaid(sign * cents, { isBookingCancelled });
      changes.installments.push(installment);
      if (installment.status === 'paid' && !wasPaid) changes.settledInstallments.push(installment);
    }
    return changes;
  }

  private liveInvoices(): Invoice[] {
    return this.invoices.filter(({ status }) => status !== 'void' && status !== 'credited');
  }

  private issuedInvoices(): Invoice[] {
    return this.invoices.filter((invoice) => invoice.isBilled());
  }

  /** The settlement of a cancelled booking. */
  private agreedFeeCents(): number {
    const fees = this.installments.filter(({ type, status }) => type === 'fee' && status !== 'cancelled');
    return fees.reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  private assertPayable({ scheduleId, invoiceId }: RequestedShare, path: string): void {
    if (scheduleId === undefined && invoiceId === undefined) {
      throw invalidField(`${path}.scheduleId`, 'scheduleId or invoiceId is required', 'required');
    }
    const installment = this.installments.find(({ id }) => id === scheduleId);
    if (scheduleId !== undefined && !installment) throw notFound({ field: `${path}.scheduleId` });
    if (installment?.status === 'cancelled') {
      throw conflict('schedule_cancelled', 'Payments cannot be allocated to a cancelled installment', { scheduleId });
    }
    const invoice = this.invoices.find(({ id }) => id === invoiceId);
    if (invoiceId !== undefined && !invoice) throw notFound({ field: `${path}.invoiceId` });
    if (invoice && !invoice.isBilled()) {
      throw conflict('invoice_not_open', 'Payments can be allocated to issued invoices only', {
        invoiceId,
        status: invoice.status,
      });
    }
    const isForAnother = Boolean(invoice?.scheduleId && scheduleId !== undefined && invoice.scheduleId !== scheduleId);
    if (isForAnother) {
      throw invalidField(
        `${path}.invoiceId`,
        'The invoice belongs to another installment',
        'invoice_of_other_schedule',
      );
    }
  }
}

function sumFor(shares: readonly Share[], isMeant: (share: Share) => boolean): number {
  return shares.reduce((sum, share) => (isMeant(share) ? sum + share.amountCents : sum), 0);
}
