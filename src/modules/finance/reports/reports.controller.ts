import { applyDecorators, Controller, Get, Query, type StreamableFile, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { MayBeStale } from '../../../platform/http/may-be-stale.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import {
  OPEN_INSTALLMENTS,
  PAYABLE_ENTRIES,
  PAYABLES,
  RECEIVABLE_ENTRIES,
  RECEIVABLES,
  UNAPPLIED_MONEY,
  UNBILLED_RECEIPTS,
} from './open-amount-reports.js';
import { CUSTOMER_STATEMENT } from './customer-statement.js';
import { COMMISSIONS } from './commission-report.js';
import { MARGIN } from './margin-report.js';
import { NUMBERING } from './numbering-report.js';
import { INVOICE_JOURNAL, PAYMENT_JOURNAL, REVENUE, VAT, VAT_DOCUMENTS } from './period-reports.js';
import {
  CommissionReportQuery,
  CustomerStatementQuery,
  EntriesQuery,
  JournalQuery,
  MarginQuery,
  NumberingQuery,
  OpenGroupsQuery,
  OpenInstallmentsQuery,
  PaymentJournalQuery,
  RevenueQuery,
  UnappliedQuery,
  UnbilledQuery,
  VatQuery,
} from './report-query.dto.js';
import {
  OpenEntryReport,
  OpenGroupReport,
  OpenInstallmentReport,
  UnappliedMoneyReport,
  UnbilledReceiptReport,
} from './open-amount-rows.dto.js';
import {
  CommissionReport,
  CustomerStatementReport,
  InvoiceJournalReport,
  MarginReport,
  NumberingReport,
  PaymentJournalReport,
  RevenueReport,
  VatDocumentReport,
  VatReport,
} from './period-rows.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { type ReportPage, ReportsService } from './reports.service.js';

const CSV = {
  type: 'string',
  format: 'binary',
  description: 'All rows as RFC 4180 in UTF-8 with a header line; the example shows its first two lines.',
};

/** Declares a route that returns a report as JSON, or as CSV on request. */
function Answers(report: Type<{ totals: unknown[] }>): MethodDecorator {
  return applyDecorators(
    RequireScope('finance:read'),
    ExpensiveRead(),
    MayBeStale(),
    Refuses({ 422: ['report_too_large'] }),
    ApiExtraModels(report),
    ApiOkResponse({
      description: 'A page of rows with the totals of all rows',
      content: { 'application/json': { schema: { $ref: getSchemaPath(report) } }, 'text/csv': { schema: CSV } },
    }),
  );
}

type Answer = Promise<ReportPage | StreamableFile>;

@ApiGroup('Finance reports')
@Controller('/v1/admin/finance/reports')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  /**
   * Report the debts of customers
   *
   * @remarks Returns open amounts at the end of a day by customer or booking, with their days overdue, and paid money that
   * settles none of them. Open amounts include refunds that no money covers. Only dated rows count, so the amounts of a past
   * day stay the same; names and the addresses that group customers are current.
   */
  @ApiOperation({ operationId: 'reports_listReceivables' })
  @Get('receivables')
  @Answers(OpenGroupReport)
  async receivables(@Query() query: OpenGroupsQuery): Answer {
    return this.reports.answer(RECEIVABLES, query);
  }

  /**
   * List what customers owe
   *
   * @remarks Lists the installments (`basis: schedule`) or invoices (`document`) in the groups of the report, and refunds that
   * no money covers.
   */
  @ApiOperation({ operationId: 'reports_listReceivableEntries' })
  @Get('receivables/entries')
  @Answers(OpenEntryReport)
  async receivableEntries(@Query() query: EntriesQuery): Answer {
    return this.reports.answer(RECEIVABLE_ENTRIES, query);
  }

  /**
   * Report the debts to suppliers
   *
   * @remarks Returns open amounts of posted supplier invoices at the end of a day by supplier, with their days overdue.
   */
  @ApiOperation({ operationId: 'reports_listPayables' })
  @Get('payables')
  @Answers(OpenGroupReport)
  async payables(@Query() query: OpenGroupsQuery): Answer {
    return this.reports.answer(PAYABLES, query);
  }

  /**
   * List the debts to suppliers
   *
   * @remarks Lists the supplier invoices in the groups of the report.
   */
  @ApiOperation({ operationId: 'reports_listPayableEntries' })
  @Get('payables/entries')
  @Answers(OpenEntryReport)
  async payableEntries(@Query() query: EntriesQuery): Answer {
    return this.reports.answer(PAYABLE_ENTRIES, query);
  }

  /**
   * List open installments of all bookings
   *
   * @remarks Lists open installments at the end of a day, with the amount to request after unapplied money and credit due, and
   * refunds that no money covers. Installments of quotes are not listed.
   */
  @ApiOperation({ operationId: 'reports_listOpenInstallments' })
  @Get('open-installments')
  @Answers(OpenInstallmentReport)
  async openInstallments(@Query() query: OpenInstallmentsQuery): Answer {
    return this.reports.answer(OPEN_INSTALLMENTS, query);
  }

  /**
   * List unapplied money of all bookings
   *
   * @remarks Lists received money that settled nothing at the end of a day or covers a requested refund, including money of
   * cancelled bookings with its refund deadline. All money of a booking is listed until its cancellation is settled, and all
   * money of a quote until it is confirmed.
   */
  @ApiOperation({ operationId: 'reports_listUnappliedMoney' })
  @Get('unapplied-money')
  @Answers(UnappliedMoneyReport)
  async unappliedMoney(@Query() query: UnappliedQuery): Answer {
    return this.reports.answer(UNAPPLIED_MONEY, query);
  }

  /**
   * List received money on no invoice
   *
   * @remarks Lists received money without an invoice at the end of a day, in order of receipt. Value-added tax is due on
   * receipt, so issue an invoice for it. Money of cancelled bookings, and money that covers requested refunds, is not listed.
   */
  @ApiOperation({ operationId: 'reports_listUnbilledReceipts' })
  @Get('unbilled-receipts')
  @Answers(UnbilledReceiptReport)
  async unbilledReceipts(@Query() query: UnbilledQuery): Answer {
    return this.reports.answer(UNBILLED_RECEIPTS, query);
  }

  /**
   * Report value-added tax
   *
   * @remarks Returns output tax of invoices less credit notes by issue date, and input tax of supplier invoices by posting
   * date, per tax code, rate and currency of the documents. Codes and rates are as of the day of issue. The rows also have the
   * amounts in the base currency, converted with the exchange rate of each document; `baseTotals` sums all currencies. A sum
   * with a document that has no rate is null, and `unconverted` counts such documents. Rows are in the order of a tax return:
   * output before input, by currency, tax code and rate.
   */
  @ApiOperation({ operationId: 'reports_listVat' })
  @Get('vat')
  @Answers(VatReport)
  async vat(@Query() query: VatQuery): Answer {
    return this.reports.answer(VAT, query);
  }

  /**
   * List the documents of the value-added tax report
   *
   * @remarks Lists the documents that the report sums, with one row per document, tax code and rate: output before input, in order
   * of their days and numbers.
   */
  @ApiOperation({ operationId: 'reports_listVatDocuments' })
  @Get('vat/documents')
  @Answers(VatDocumentReport)
  async vatDocuments(@Query() query: VatQuery): Answer {
    return this.reports.answer(VAT_DOCUMENTS, query);
  }

  /**
   * Report revenue
   *
   * @remarks Returns sales by month, product, channel or departure, on the day of the service, of the confirmation or of the
   * invoice.
   */
  @ApiOperation({ operationId: 'reports_listRevenue' })
  @Get('revenue')
  @Answers(RevenueReport)
  async revenue(@Query() query: RevenueQuery): Answer {
    return this.reports.answer(REVENUE, query);
  }

  /**
   * Report margins
   *
   * @remarks Returns prices without tax less the expected costs of the items, by month, product, channel or departure, on the
   * day of the service or of the confirmation. If the cost of an item is unknown in the currency of the sale, the cost and the
   * margin of its row are null, and `unknownCosts` counts it.
   */
  @ApiOperation({ operationId: 'reports_listMargin' })
  @Get('margin')
  @Answers(MarginReport)
  async margin(@Query() query: MarginQuery): Answer {
    return this.reports.answer(MARGIN, query);
  }

  /**
   * List payments and reversals by day
   *
   * @remarks Lists movements of the bank accounts in order of their posting dates; opening balance plus rows is closing balance.
   * Transfers between bookings are not movements.
   */
  @ApiOperation({ operationId: 'reports_listPaymentJournal' })
  @Get('payment-journal')
  @Answers(PaymentJournalReport)
  async paymentJournal(@Query() query: PaymentJournalQuery): Answer {
    return this.reports.answer(PAYMENT_JOURNAL, query);
  }

  /**
   * List issued documents by number
   *
   * @remarks Lists invoices and credit notes of a period in order of their numbers, with one row per document, tax code and rate.
   * Void documents have one row with amounts of 0.
   */
  @ApiOperation({ operationId: 'reports_listInvoiceJournal' })
  @Get('invoice-journal')
  @Answers(InvoiceJournalReport)
  async invoiceJournal(@Query() query: JournalQuery): Answer {
    return this.reports.answer(INVOICE_JOURNAL, query);
  }

  /**
   * Report the account of one customer
   *
   * @remarks Lists issued documents, payments and reversals of the bookings of a customer, or of one booking, in order of their
   * days, with the running balance per currency; opening balance plus rows is closing balance. The closing balance is the customer's debt by
   * documents: open invoices and refunds that no money covers, less prepaid money. Void invoices are not listed.
   */
  @ApiOperation({ operationId: 'reports_listCustomerStatement' })
  @Get('customer-statement')
  @Answers(CustomerStatementReport)
  async customerStatement(@Query() query: CustomerStatementQuery): Answer {
    return this.reports.answer(CUSTOMER_STATEMENT, query);
  }

  /**
   * Report commissions by recipient
   *
   * @remarks Returns the commissions of each recipient by their current status, so that the payable ones are the organization's
   * debt, and the payouts of a period by posting date.
   */
  @ApiOperation({ operationId: 'reports_listCommissions' })
  @Get('commissions')
  @Answers(CommissionReport)
  async commissions(@Query() query: CommissionReportQuery): Answer {
    return this.reports.answer(COMMISSIONS, query);
  }

  /**
   * List document numbers with their gaps
   *
   * @remarks Lists the numbers of all series in order, each with its document, and the ranges of numbers that no document has.
   * Statuses are current.
   */
  @ApiOperation({ operationId: 'reports_listNumbering' })
  @Get('numbering')
  @Answers(NumberingReport)
  async numbering(@Query() query: NumberingQuery): Answer {
    return this.reports.answer(NUMBERING, query);
  }
}
