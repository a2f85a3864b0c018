export {
  type AsOf,
  allocatedTo,
  creditDueOf,
  customerMoney,
  openBills,
  openDocuments,
  openInstallments,
  since,
  supplierPrepayments,
  unbilledReceipts,
  uncoveredRefunds,
  until,
  versionOf,
} from './account/as-of.sql.js';
export type { PricedLine } from './account/billing-document.entity.js';
export type { CreditNote } from './account/credit-note.entity.js';
export type { Invoice } from './account/invoice.entity.js';
export { InvoicesRepository } from './invoices/invoices.repository.js';
export { IS_RECEIVABLE, isReceivable } from './reminders/receivable.sql.js';
export { IssuerCopiesRepository } from './invoices/issuer-copies.repository.js';
export { FEE_DESCRIPTION, netUnitPrice } from './invoices/line-amounts.js';
