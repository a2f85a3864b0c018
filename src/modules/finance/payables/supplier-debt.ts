import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { type Debt, overAllocated, type RequestedShare, type Share, sumOfShares } from '../books/index.js';
import type { SupplierInvoice } from './supplier-invoice.entity.js';

/** A payment to a supplier is for one approved supplier invoice. */
export class SupplierDebt implements Debt {
  readonly currency: string;
  readonly issueDate: string;

  constructor(
    private readonly invoice: SupplierInvoice,
    /** Adds paid money, or subtracts it again. */
    private readonly pay: (cents: number) => Promise<void>,
  ) {
    this.currency = invoice.currency;
    this.issueDate = invoice.issueDate;
  }

  /** The whole amount settles the invoice. */
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
    await this.pay(sumOfShares(shares));
  }

  async unsettle(shares: readonly Share[]): Promise<void> {
    await this.pay(-sumOfShares(shares));
  }

  /** Money sent to a supplier is never unapplied. */
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
