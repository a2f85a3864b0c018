export { FinanceModule } from './finance.module.js';
export { supplierInvoiceSubject } from './payables/supplier-invoice-subject.js';
export { invoiceSubject } from './receivables/invoices/invoice-subject.js';
export {
  CalledOffMoneyService,
  type SettledMoney,
  SETTLEMENT_CHOICES,
  type SettlementChoice,
} from './receivables/settlements/called-off-money.service.js';
export { CancellationFeeLine, SettlementPreview } from './receivables/settlements/settlement.dto.js';
export { SettlementsService } from './receivables/settlements/settlements.service.js';
export { RECEIVED_CENTS } from './receivables/settlements/received.sql.js';
export { IS_RECEIVABLE, isReceivable } from './receivables/index.js';
export { ACCOUNT_ENTRIES } from './reports/customer-statement.js';
export { STATEMENT_ENTRIES } from './reports/period-rows.dto.js';
export { financeEvents } from './events.js';
export { CommissionsService } from './commissions/index.js';
export { NumberSeriesService } from './books/index.js';
export { IssueInvoice, ListInvoices } from './receivables/invoices/invoice.dto.js';
export { InvoicesService } from './receivables/invoices/invoices.service.js';
export { CreatePayment } from './receivables/payments/payment.dto.js';
export { PaymentsService } from './receivables/payments/payments.service.js';
