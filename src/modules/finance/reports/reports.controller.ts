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
  GroupedQuery,
  JournalQuery,
  MarginQuery,
  NumberingQuery,
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

/** A route that answers a report as JSON, or as CSV if the query asks for it. */
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
   * Report what customers owe
   *
   * @remarks Open amounts at the end of a day by customer or booking, with the days by which they are late, and money that
   * was paid and settles none of them. Refunds that no money covers are part of the open amounts. Only dated rows count, so that the amounts of a past day stay the same; names, and the addresses by
   * which customers are grouped, are those of now.
   */
  @ApiOperation({ operationId: 'reports_listReceivables' })
  @Get('receivables')
  @Answers(OpenGroupReport)
  async receivables(@Query() query: GroupedQuery): Answer {
    return this.reports.answer(RECEIVABLES, query);
  }

  /**
   * List what customers owe
   *
   * @remarks The installments (`basis: schedule`) or invoices (`document`) behind the groups of the report, and refunds
   * that no money covers.
   */
  @ApiOperation({ operationId: 'reports_listReceivableEntries' })
  @Get('receivables/entries')
  @Answers(OpenEntryReport)
  async receivableEntries(@Query() query: EntriesQuery): Answer {
    return this.reports.answer(RECEIVABLE_ENTRIES, query);
  }

  /**
   * Report what is owed to suppliers
   *
   * @remarks Open amounts of posted supplier invoices at the end of a day by supplier, with the days by which they
   * are late.
   */
  @ApiOperation({ operationId: 'reports_listPayables' })
  @Get('payables')
  @Answers(OpenGroupReport)
  async payables(@Query() query: GroupedQuery): Answer {
    return this.reports.answer(PAYABLES, query);
  }

  /**
   * List what is owed to suppliers
   *
   * @remarks The supplier invoices behind the groups of the report.
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
   * @remarks Who owes what at the end of a day, with what is to be asked for after unapplied money and credit due, and
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
   * @remarks Received money that settled nothing at the end of a day or covers a refund that was requested and not yet paid,
   * also of cancelled bookings, with the day until which it is to be refunded. Until a cancellation is settled, all money
   * of the booking is listed, and that of a quote until it is confirmed.
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
   * @remarks Money at the end of a day for which no invoice was issued, in the order in which it was received. Value-added
   * tax is due when it is received, so issue an invoice for it. Money of cancelled bookings, and what covers requested
   * refunds, is not listed.
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
   * @remarks Output tax of invoices less credit notes by issue date, and input tax of supplier invoices by posting
   * date, per tax code, rate and currency of the documents. Codes and rates are those of the day of issue. Beside them are
   * the amounts in the base currency, converted with the exchange rate of each document; `baseTotals` sums all currencies. A
   * sum with a document that has no rate is null, and `unconverted` counts such documents.
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
   * @remarks The documents that the report sums, one row per document, tax code and rate.
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
   * @remarks Sales by month, product, channel or departure, on the day of the service, of the confirmation or of the
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
   * @remarks Prices without tax less the expected costs of the items, by month, product, channel or departure, on the day of
   * the service or of the confirmation. If the cost of an item is unknown in the currency of the sale, the
   * cost and the margin of its row are null, and `unknownCosts` counts it.
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
   * @remarks Movements of the bank accounts by posting date; opening plus rows is closing. Transfers between bookings
   * are not movements.
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
   * @remarks Invoices and credit notes of a period, one row per document with each tax code and rate. Void documents have
   * one row with amounts of 0.
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
   * @remarks Issued documents, payments and reversals of the bookings of a customer, or of one booking, with the running
   * balance per currency; opening plus rows is closing. The closing balance is what the customer owes by documents: open
   * invoices and refunds that no money covers, less what is prepaid. Void invoices are not listed.
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
   * @remarks What each recipient earns by the status of its commissions now, so that what is payable is what the organization
   * owes, and the payouts of a period by posting date.
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
   * @remarks The numbers of all series in their order, each with its document, and the ranges of numbers that no document
   * has. Statuses are those of now.
   */
  @ApiOperation({ operationId: 'reports_listNumbering' })
  @Get('numbering')
  @Answers(NumberingReport)
  async numbering(@Query() query: NumberingQuery): Answer {
    return this.reports.answer(NUMBERING, query);
  }
}
