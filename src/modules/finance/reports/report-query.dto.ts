import { named } from '../../../platform/http/named-values.js';
import { BoundsQuery } from '../../../platform/http/dto.js';
import { Id, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_TYPES, type DocumentType, type Method, METHODS, PERIOD_KEY } from '../books/index.js';
import { RECIPIENT_TYPES, type RecipientType } from '../commissions/index.js';
import { type Bucket, BUCKETS } from './aging.dto.js';
import { BOOKING_STATUSES, type BookingStatus } from '../../bookings/index.js';

export const FORMATS = named('ReportFormat', ['json', 'csv']);
export const BASES = named('ReceivablesBasis', ['schedule', 'document']);
export const RECEIVABLE_GROUPS = named('ReceivablesGroup', ['customer', 'booking', 'supplier']);
export const REVENUE_BASES = named('RevenueBasis', ['service', 'confirmed', 'invoiced']);
export const MARGIN_BASES = named('MarginBasis', ['service', 'confirmed']);
export const REVENUE_GROUPINGS = named('RevenueGroup', ['month', 'product', 'channel', 'departure']);
export const VAT_SIDES = named('VatSide', ['output', 'input']);
export type VatSide = (typeof VAT_SIDES)[number];

export class ReportQuery extends BoundsQuery {
  /** `json` (default): a page of rows and the totals; `csv`: all rows as a file, at most 100,000. */
  @Optional()
  @OneOf(FORMATS)
  format?: (typeof FORMATS)[number];
}

class AmountsQuery extends ReportQuery {
  /** Only amounts in this currency. */
  @Optional()
  @CurrencyCode()
  currency?: string;
}

class AsOfQuery extends AmountsQuery {
  /** The report is as of the end of this day; today by default. */
  @Optional()
  @IsoDate()
  asOf?: string;

  /** Omits everything that was recorded after this time. */
  @Optional()
  @Instant()
  knownAt?: string;
}

export class GroupedQuery extends AsOfQuery {
  /** `schedule` (default): installments, billed or not; `document`: issued invoices. Suppliers have only documents. */
  @Optional()
  @OneOf(BASES)
  basis?: (typeof BASES)[number];

  /** Receivables are grouped by `customer` (default) or `booking`, payables always by supplier. */
  @Optional()
  @OneOf(RECEIVABLE_GROUPS)
  groupBy?: (typeof RECEIVABLE_GROUPS)[number];
}

export class OpenGroupsQuery extends GroupedQuery {
  /** Sort field, `name` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['name', 'oldestDueDate', 'openCents'])
  sort?: string;
}

export class EntriesQuery extends GroupedQuery {
  /** Only entries of this `group` of the report, with the same `groupBy`. */
  @Optional()
  @Text({ max: 64 })
  group?: string;

  /** Only entries of these ranges of days past the due date. */
  @Optional()
  @AnyOf(BUCKETS)
  bucket?: Bucket[];

  /** Only entries of this booking. */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Sort field, `dueDate` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['dueDate', 'name', 'amountCents', 'openCents'])
  sort?: string;
}

export class OpenInstallmentsQuery extends AsOfQuery {
  /** `true` returns only overdue installments, `false` only the others. */
  @Optional()
  @QueryFlag()
  overdue?: boolean;

  /** Only installments due on or after this day. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Only installments due on or before this day. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Only bookings that this channel sold. */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Only installments of this booking. */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only bookings of the customer with this e-mail address, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  customerEmail?: string;

  /** Only bookings whose number or customer name contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Sort field, `dueDate` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['dueDate', 'bookingNumber', 'customerName', 'outstandingCents', 'askCents'])
  sort?: string;
}

export class UnappliedQuery extends AsOfQuery {
  /** Only money of bookings that had one of these statuses at the end of the day. */
  @Optional()
  @AnyOf(BOOKING_STATUSES)
  bookingStatus?: BookingStatus[];

  /** Sort field, `receivedOn` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['receivedOn', 'customerName', 'unappliedCents'])
  sort?: string;
}

export class UnbilledQuery extends AsOfQuery {
  /** Only money of bookings that had one of these statuses at the end of the day. */
  @Optional()
  @AnyOf(BOOKING_STATUSES)
  bookingStatus?: BookingStatus[];

  /** Sort field, `receivedOn` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['receivedOn', 'customerName', 'unbilledCents'])
  sort?: string;
}

export class JournalQuery extends AmountsQuery {
  /** First day of the report; by default the first day of the month of `to`. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Last day of the report; today by default. */
  @Optional()
  @IsoDate()
  to?: string;
}

export class CustomerStatementQuery extends JournalQuery {
  /**
   * The e-mail address of the customer, ignoring case, or the ID of a booking for that booking alone.
   * @example "katherine@example.com"
   */
  @Text({ max: 255 })
  customer: string;
}

export class VatQuery extends JournalQuery {
  /** Only the tax of these sides: own documents (`output`) or supplier invoices (`input`). */
  @Optional()
  @AnyOf(VAT_SIDES)
  side?: VatSide[];

  /** Only this `group` of the report: one side with its tax code and rate. */
  @Optional()
  @Text({ max: 64 })
  group?: string;
}

export class NumberingQuery extends ReportQuery {
  /** Only numbers of this series. */
  @Optional()
  @Id('iser')
  seriesId?: string;

  /** Only numbers of documents of these types. */
  @Optional()
  @AnyOf(DOCUMENT_TYPES)
  documentType?: DocumentType[];

  /** Only numbers of this period of a series: `all`, a year or a month such as `2027-03`. */
  @Optional()
  @Text({ max: 7, pattern: PERIOD_KEY })
  periodKey?: string;

  /** Only documents issued on or after this day, and numbers without a document that precede them. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Only documents issued on or before this day, and numbers without a document that precede them. */
  @Optional()
  @IsoDate()
  to?: string;

  /** If true, only entries with an anomaly. */
  @Optional()
  @QueryFlag()
  anomalous?: boolean;
}

export class PaymentJournalQuery extends JournalQuery {
  /** Only payments of these methods. */
  @Optional()
  @AnyOf(METHODS)
  method?: Method[];
}

export class CommissionReportQuery extends JournalQuery {
  /** Only commissions of these kinds of recipients. */
  @Optional()
  @AnyOf(RECIPIENT_TYPES)
  recipientType?: RecipientType[];

  /** Only commissions with exactly this recipient identifier. */
  @Optional()
  @Text({ max: 100 })
  recipientId?: string;

  /** Sort field, `recipientName` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['recipientName', 'payableCents', 'paidOutCents'])
  sort?: string;
}

export class MarginQuery extends JournalQuery {
  /** The day that counts: the day of the service (default), or of the confirmation of the booking. */
  @Optional()
  @OneOf(MARGIN_BASES)
  basis?: (typeof MARGIN_BASES)[number];

  /** Grouping of the rows; by month by default. */
  @Optional()
  @OneOf(REVENUE_GROUPINGS)
  groupBy?: (typeof REVENUE_GROUPINGS)[number];

  /** Items count as of the end of this day; today by default. */
  @Optional()
  @IsoDate()
  asOf?: string;

  /** Omits everything that was recorded after this time. */
  @Optional()
  @Instant()
  knownAt?: string;

  /** Sort field, `group` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['group', 'name', 'units', 'netCents', 'marginCents'])
  sort?: string;
}

export class RevenueQuery extends JournalQuery {
  /**
   * The day that counts: the day of the service (default), of the confirmation of the booking, or of the issue of the invoice,
   * less credit notes.
   */
  @Optional()
  @OneOf(REVENUE_BASES)
  basis?: (typeof REVENUE_BASES)[number];

  /** Grouping of the rows; by month by default. */
  @Optional()
  @OneOf(REVENUE_GROUPINGS)
  groupBy?: (typeof REVENUE_GROUPINGS)[number];

  /** Items count as of the end of this day; today by default. */
  @Optional()
  @IsoDate()
  asOf?: string;

  /** Omits everything that was recorded after this time. */
  @Optional()
  @Instant()
  knownAt?: string;

  /** Sort field, `group` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['group', 'name', 'units', 'netCents', 'grossCents'])
  sort?: string;
}
