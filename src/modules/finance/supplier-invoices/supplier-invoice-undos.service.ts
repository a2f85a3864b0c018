import { Injectable, type OnModuleInit } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { type RecordedAction, Reversals, type Undone } from '../../action-ledger/index.js';
import { SupplierInvoices } from './supplier-invoices.service.js';

/** How what was done to supplier invoices is undone: while nothing is paid of them. */
@Injectable()
export class SupplierInvoiceUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly invoices: SupplierInvoices,
  ) {}

  onModuleInit(): void {
    this.reversals.register('finance.supplier_invoice.create', {
      reverse: (entry, reason) => this.void(entry, reason),
    });
    this.reversals.register('finance.supplier_invoice.approve', { reverse: (entry) => this.reopen(entry) });
  }

  /** Throws 409 `invalid_transition`, `invoice_has_payments`. */
  private async void({ subjectId }: RecordedAction, reason: string): Promise<Undone> {
    return this.invoices.undo(subjectId, 'void', (invoice, now) => {
      invoice.forgetSettlement();
      invoice.void(reason, now);
    });
  }

  /** Throws 409 `invalid_transition`, `invoice_has_payments`, `approved_again`. */
  private async reopen({ subjectId, after }: RecordedAction): Promise<Undone> {
    return this.invoices.undo(subjectId, 'reopen', (invoice, now) => {
      const approvedAt = invoice.approvedAt?.toISOString() ?? null;
      if (approvedAt !== null && approvedAt !== after?.['approvedAt']) {
        throw conflict('approved_again', 'The supplier invoice was reopened and approved again in the meantime', {
          approvedAt,
        });
      }
      invoice.forgetSettlement();
      invoice.reopen(now);
    });
  }
}
