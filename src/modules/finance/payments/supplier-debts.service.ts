import { Injectable } from '@nestjs/common';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { SupplierInvoicesService } from '../supplier-invoices/supplier-invoices.service.js';
import type { SupplierInvoice } from '../supplier-invoices/supplier-invoice.entity.js';
import { type Debt, overAllocated, type Share, sumOfShares, type Wish } from './debt.js';

/** What we owe to suppliers: each payment is for one approved supplier invoice. */
@Injectable()
export class SupplierDebts {
  constructor(private readonly invoices: SupplierInvoicesService) {}

  /** Holds the supplier invoice until the transaction ends. Throws 404 with details {field}. */
  async lock(supplierInvoiceId: string): Promise<Debt> {
    return new SupplierDebt(await this.invoices.lockForPayment(supplierInvoiceId), this.invoices);
  }
}

class SupplierDebt implements Debt {
  readonly currency: string;

  constructor(
    private readonly invoice: SupplierInvoice,
    private readonly invoices: SupplierInvoicesService,
  ) {
    this.currency = invoice.currency;
  }

  /** All of it settles the invoice, or nothing. Throws 409 `supplier_invoice_not_approved`, 422 `over_allocated`. */
  automatic(cents: number): Share[] {
    return this.take(cents, cents);
  }

  wished(wishes: readonly Wish[], availableCents: number): Share[] {
    let available = availableCents;
    for (const [index, { amountCents, ...targets }] of wishes.entries()) {
      const [named] = Object.entries(targets).flatMap(([name, id]) => (id === undefined ? [] : [name]));
      if (named) throw invalidField(`allocations.${index}.${named}`, 'Only allowed for direction in', 'not_applicable');
      if (amountCents > available) throw overAllocated(available, this.outstandingCents());
      available -= amountCents;
    }
    return this.take(availableCents - available, availableCents);
  }

  async settle(shares: readonly Share[]): Promise<void> {
    await this.invoices.settle(this.invoice, sumOfShares(shares));
  }

  async unsettle(shares: readonly Share[]): Promise<void> {
    await this.invoices.settle(this.invoice, -sumOfShares(shares));
  }

  private take(amountCents: number, availableCents: number): Share[] {
    const { id, status } = this.invoice;
    if (amountCents === 0) return [];
    if (status !== 'approved') {
      throw conflict('supplier_invoice_not_approved', 'Payments require an approved supplier invoice', { status });
    }
    if (amountCents > this.outstandingCents()) throw overAllocated(availableCents, this.outstandingCents());
    return [{ scheduleId: null, invoiceId: null, supplierInvoiceId: id, amountCents }];
  }

  private outstandingCents(): number {
    return this.invoice.totalCents - this.invoice.paidCents;
  }
}
