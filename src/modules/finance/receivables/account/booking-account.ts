import { conflict, invalidField, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import type { BookingSummary } from '../../../bookings/index.js';
import type { Invoice } from './invoice.entity.js';
import type { LockedPlan } from './locked-plan.js';
import { OpenDebts, toShare, type UncoveredRefund } from './open-debts.js';
import { type OpenInvoice, Outstanding } from './outstanding.js';
import { overAllocated, type RequestedShare, type Share } from '../../books/index.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';

/** Installments and invoices that became paid, or are no longer paid. */
export interface BalanceChanges {
  invoices: Invoice[];
  installments: PaymentSchedule[];
  /** The ones that became fully paid. */
  settledInvoices: Invoice[];
  settledInstallments: PaymentSchedule[];
}

/** What was received for a booking. */
export interface AccountMoney {
  receivedCents: number;
  /** Settles nothing. */
  unappliedCents: number;
  /** Covers refunds that are requested and not completed. */
  reservedCents: number;
  /** The part of completed refunds and outgoing transfers that no money covers. */
  uncoveredCents: number;
}

/**
 * A booking with its plan, its invoices and what is paid on them, locked together: money that settles an installment
 * counts on an invoice too. `BookingAccountsService` locks and saves it.
 */
export class BookingAccount {
  constructor(
    readonly booking: BookingSummary,
    /** The current plan; null until the booking has one. */
    public plan: LockedPlan | null,
    /** All of them, also drafts and void ones. */
    readonly invoices: readonly Invoice[],
    /** As it was when the account was locked. */
    readonly money: AccountMoney,
  ) {}

  /** Receipts and incoming transfers, less refunds and outgoing transfers; completed and not reversed. */
  get receivedCents(): number {
    return this.money.receivedCents;
  }

  /** What the customer owes for the booking, whether billed or not. */
  claimCents(): number {
    const { status, totalCents } = this.booking;
    if (status === 'draft') return this.billedCents();
    if (status === 'cancelled') return this.agreedFeeCents();
    return (totalCents ?? 0) - (this.plan?.waivedCents() ?? 0);
  }

  /** The issued invoices that are not void, less what was credited. */
  billedCents(): number {
    return this.issuedInvoices().reduce((sum, invoice) => sum + invoice.uncreditedCents(), 0);
  }

  /** What may be billed further. */
  roomCents(): number {
    return Math.max(0, this.claimCents() - this.billedCents());
  }

  /** The excess of the documents, for which a credit note is due. */
  creditDueCents(): number {
    return Math.max(0, this.billedCents() - this.claimCents());
  }

  get installments(): readonly PaymentSchedule[] {
    return this.plan?.installments ?? [];
  }

  /** The installments that an issued invoice requests. */
  invoicedInstallments(): Set<string> {
    return new Set(this.issuedInvoices().flatMap(({ scheduleId }) => scheduleId ?? []));
  }

  /** A draft reserves nothing: only issued invoices count. Invoices of an unconfirmed booking may reach its price. */
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

  /** Whether an issued and unpaid invoice requests the whole booking, or one each of these installments. */
  hasOpenInvoice(scheduleIds: readonly string[]): boolean {
    const open = this.invoices.filter(({ status }) => status === 'issued' || status === 'partially_paid');
    if (open.some(({ scheduleId }) => scheduleId === null)) return true;
    const requested = new Set(open.map(({ scheduleId }) => scheduleId));
    return scheduleIds.length > 0 && scheduleIds.every((scheduleId) => requested.has(scheduleId));
  }

  /** What is still to be paid now, with these invoices. */
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

  /** What received money settles without a request. `refunds` are uncovered; `money` is what was received until now. */
  openDebts(refunds: readonly UncoveredRefund[], money: AccountMoney): OpenDebts {
    const { receivedCents, uncoveredCents, unappliedCents, reservedCents } = money;
    const appliedCents = receivedCents + uncoveredCents - unappliedCents - reservedCents;
    return new OpenDebts(this.outstanding(), refunds, this.claimCents() - appliedCents);
  }

  /**
   * The requested shares, to the cent. Throws 422 `over_allocated` beyond `availableCents` or what is outstanding, 400 for
   * an invoice of another installment, 404 for one of another booking, 409 `schedule_cancelled`, `invoice_not_open`.
   */
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

  /** Counts shares as paid, or as no longer paid. */
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

  /** Of a cancelled booking that was settled. */
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
