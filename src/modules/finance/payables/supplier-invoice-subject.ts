import { recordSubject } from '../../../platform/database/record-subject.js';

/** Supplier invoices, to which other modules attach records. */
export const supplierInvoiceSubject = recordSubject({
  type: 'supplier_invoice',
  table: 'supplier_invoices',
  title: `record.supplier_name || ' ' || record.invoice_number`,
  readScope: 'finance:read',
  writeScope: 'finance:write',
});
