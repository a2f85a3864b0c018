import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import type { AllocationsService } from '../booking-account/allocations.service.js';
import { type BookingAccount, overAllocated, type RequestedShare } from '../booking-account/booking-account.js';
import type { BookingAccountsService } from '../booking-account/booking-accounts.service.js';
import { type Share, sumOfShares } from '../booking-account/payment-allocation.entity.js';
import type { CommissionLine } from '../commissions/commission-line.entity.js';
import type { CommissionsService } from '../commissions/commissions.service.js';
import type { SupplierInvoice } from '../supplier-invoices/supplier-invoice.entity.js';
import type { SupplierInvoicesService } from '../supplier-invoices/supplier-invoices.service.js';

/** What a customer owes to the organization, or the organization to a supplier; locked. */
export interface Debt {
  readonly currency: string;
  /** What this much money settles if nothing is requested; the shares may be less than that. */
  automatic(cents: number): Promise<Share[]>;
  /** What is requested, to the cent. Throws 422 `over_allocated` beyond `availableCents` or what is outstanding. */
  requested(requested: readonly RequestedShare[], availableCents: number): Share[];
  /** Counts the shares as paid on what they settle. */
  settle(shares: readonly Share[]): Promise<void>;
  /** Counts them as no longer paid. The reason is given if the payment was reversed. */
  unsettle(shares: readonly Share[], reason?: string): Promise<void>;
  /** Applies other unapplied money to what is owed now. */
  applyMoney(): Promise<void>;
}

/** Money for a booking settles its open installments and, with them, its invoices. */
export class BookingDebt implements Debt {
  readonly currency: string;

  constructor(
    private readonly account: BookingAccount,
    private readonly accounts: BookingAccountsService,
    private readonly allocations: AllocationsService,
  ) {
    this.currency = account.booking.currency;
  }

  async automatic(cents: number): Promise<Share[]> {
    return (await this.accounts.openDebts(this.account)).take(cents);
  }

  requested(requested: readonly RequestedShare[], availableCents: number): Share[] {
    return this.account.requestedShares(requested, availableCents);
  }

  async settle(shares: readonly Share[]): Promise<void> {
    await this.allocations.count(this.account, shares, 'paid');
  }

  async unsettle(shares: readonly Share[]): Promise<void> {
    await this.allocations.count(this.account, shares, 'unpaid');
  }

  async applyMoney(): Promise<void> {
    await this.accounts.applyMoney(this.account);
  }
}

/** A payment to a supplier is for one approved supplier invoice. */
export class SupplierDebt implements Debt {
  readonly currency: string;

  constructor(
    private readonly invoice: SupplierInvoice,
    private readonly invoices: SupplierInvoicesService,
  ) {
    this.currency = invoice.currency;
  }

  /** All of it settles the invoice. Throws 409 `supplier_invoice_not_approved`, 422 `over_allocated`. */
  async automatic(cents: number): Promise<Share[]> {
    return Promise.resolve(this.allocate(cents, cents));
  }

  requested(requested: readonly RequestedShare[], availableCents: number): Share[] {
    let available = availableCents;
    for (const [index, { amountCents, ...targets }] of requested.entries()) {
      const [named] = Object.entries(targets).flatMap(([name, id]) => (id === undefined ? [] : [name]));
      if (named) throw invalidField(`allocations.${index}.${named}`, 'Only allowed for direction in', 'not_applicable');
      if (amountCents > available) throw overAllocated(available, this.outstandingCents());
      available -= amountCents;
    }
    return this.allocate(availableCents - available, availableCents);
  }

  async settle(shares: readonly Share[]): Promise<void> {
    await this.invoices.settle(this.invoice, sumOfShares(shares));
  }

  async unsettle(shares: readonly Share[]): Promise<void> {
    await this.invoices.settle(this.invoice, -sumOfShares(shares));
  }

  /** No money to a supplier is unapplied. */
  async applyMoney(): Promise<void> {}

  private allocate(amountCents: number, availableCents: number): Share[] {
    const { id, status } = this.invoice;
    if (amountCents === 0) return [];
    if (status !== 'approved') {
      throw conflict('supplier_invoice_not_approved', 'Payments require an approved supplier invoice', { status });
    }
    if (amountCents > this.outstandingCents()) throw overAllocated(availableCents, this.outstandingCents());
    return [{ scheduleId: null, invoiceId: null, supplierInvoiceId: id, refundId: null, amountCents }];
  }

  private outstandingCents(): number {
    return this.invoice.totalCents - this.invoice.paidCents;
  }
}

/** The payout of a commission settles it without allocations, and as a whole. */
export class CommissionDebt implements Debt {
  readonly currency: string;

  constructor(
    private readonly commission: CommissionLine,
    private readonly commissions: CommissionsService,
  ) {
    this.currency = commission.currency;
  }

  async automatic(): Promise<Share[]> {
    return Promise.resolve([]);
  }

  requested(): Share[] {
    return [];
  }

  /** The commission was paid before its payment was recorded. */
  async settle(): Promise<void> {}

  /** Throws 409 `commission_adjusted`. */
  async unsettle(_: readonly Share[], reason = ''): Promise<void> {
    await this.commissions.withdrawPayout(this.commission.id, reason);
  }

  async applyMoney(): Promise<void> {}
}
