import { recordSubject } from '../../../../platform/database/record-subject.js';

/** Invoices as the subject of notes. A draft has no number. */
export const invoiceSubject = recordSubject({
  type: 'invoice',
  table: 'invoices',
  title: 'coalesce(record.number, record.payer_name)',
  readScope: 'finance:receivables',
  writeScope: 'finance:write',
});
