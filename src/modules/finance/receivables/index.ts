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
export type { PricedLine } from './account/invoice.entity.js';
export { type InvoiceWithLines, InvoicesRepository } from './invoices/invoices.repository.js';
export { IS_RECEIVABLE } from './reminders/receivable.sql.js';
export { IssuerCopiesRepository } from './invoices/issuer-copies.repository.js';
export { FEE_DESCRIPTION, netUnitPrice } from './invoices/line-amounts.js';
