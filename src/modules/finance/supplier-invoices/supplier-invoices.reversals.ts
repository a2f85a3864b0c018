import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { SupplierInvoicesService } from './supplier-invoices.service.js';

/** Reverses ledger entries of supplier invoices to which no payment is allocated. */
@Injectable()
export class SupplierInvoiceReversals {
  constructor(private readonly invoices: SupplierInvoicesService) {}

  /** Voids the invoice. Throws 409 `invalid_transition`, `invoice_has_payments`. */
  @Reverses('finance.supplier_invoice.create')
  async reverseCreation({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    return this.invoices.reverse(subjectId, 'void', (invoice, now) => invoice.void(reason, now));
  }

  /** Makes the invoice a draft again. Throws 409 `invalid_transition`, `invoice_has_payments`, `approved_again`. */
  @Reverses('finance.supplier_invoice.approve')
  async reverseApproval({ subjectId, after }: RecordedAction): Promise<ReversalResult> {
    return this.invoices.reverse(subjectId, 'reopen', (invoice, now) => {
      const approvedAt = invoice.approvedAt?.toISOString() ?? null;
      if (approvedAt !== null && approvedAt !== after?.['approvedAt']) {
        throw conflict('approved_again', 'The supplier invoice was reopened and approved again in the meantime', {
          approvedAt,
        });
      }
      invoice.reopen(now);
    });
  }
}
