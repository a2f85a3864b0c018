import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { SupplierInvoice } from './supplier-invoice.entity.js';

/** What payments do to supplier invoices. The payment's own ledger entry says why an invoice became paid. */
@Injectable()
export class SupplierInvoiceSettlement {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Holds the invoice until the transaction ends. Throws 404 with details {field}. */
  async lock(id: string): Promise<SupplierInvoice> {
    const lock = { mode: 'pessimistic_write' } as const;
    const invoice = await this.database.repository(SupplierInvoice).findOne({ where: { id }, lock });
    if (!invoice) throw notFound({ field: 'supplierInvoiceId' });
    return invoice;
  }

  /** Counts money on a held invoice, or (negative) takes it off again. */
  async settle(invoice: SupplierInvoice, cents: number): Promise<void> {
    if (cents === 0) return;
    invoice.settle(cents, this.clock.now());
    await this.database.update(invoice);
    const { id, status, currency, totalCents, version } = invoice;
    if (status !== 'paid') return;
    this.outbox.add({
      channel: 'finance.supplier-invoices',
      event: 'supplier_invoice.paid',
      data: { supplierInvoiceId: id, status, currency, totalCents, version },
    });
  }
}
