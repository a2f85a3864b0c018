import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, DecimalText, IsoDate } from '../../../platform/http/trade-fields.js';
import { INVOICE_STATUSES, type InvoiceStatus } from './invoice.entity.js';

const SORT_FIELDS = ['issueDate', 'dueDate', 'totalCents', 'createdAt'] as const;
const LOWEST = -Number.MAX_SAFE_INTEGER;

export class CreateInvoiceLine {
  /** The item of the booking that it is for. */
  @Clearable()
  @Id('bkit')
  bookingItemId?: string | null;

  /** @example "Airport transfer" */
  @Text({ max: 500 })
  description: string;

  /** A decimal number as text; `1` unless given.
   * @example "2" */
  @Optional()
  @DecimalText({ whole: 8, decimals: 4 })
  quantity?: string;

  /** Without tax; below 0 for a discount.
   * @example 500 */
  @Cents({ min: LOWEST })
  unitPriceCents: number;

  /** In basis points: 1900 is 19 %. Null, or left out: taxCents is given.
   * @example 1900 */
  @Clearable()
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints?: number | null;

  /** quantity * unitPriceCents, rounded half up; computed unless given. */
  @Optional()
  @Cents({ min: LOWEST })
  netCents?: number;

  /** netCents * taxRateBasisPoints / 10000, rounded half up; without a rate as given, else 0. */
  @Optional()
  @Cents({ min: LOWEST })
  taxCents?: number;

  /** netCents + taxCents; computed unless given. */
  @Optional()
  @Cents({ min: LOWEST })
  totalCents?: number;
}

export class CreateInvoice {
  @Ignored()
  id?: undefined;

  /** @example "book_01k0dem000e000000000000018" */
  @Id('book')
  bookingId: string;

  /** The installment that it asks for; it can be on one invoice that is not void. */
  @Clearable()
  @Id('psch')
  scheduleId?: string | null;

  /** The booking's; another one is refused. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /** The customer's name unless given.
   * @example "Clara Weber" */
  @Optional()
  @Text({ max: 255 })
  payerName?: string;

  /** @example "12 Lake Road, Lucerne" */
  @Clearable()
  @Text({ max: 1000, multiline: true, emptyIsNull: true })
  payerAddress?: string | null;

  /** @example "CHE-123.456.788" */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  payerTaxId?: string | null;

  /** The installment's unless given, else it is set by the issue. An issue after it moves it to the issue date. */
  @Clearable()
  @IsoDate()
  dueDate?: string | null;

  /** Left out: a line for each live item of the booking, or one for the installment. */
  @Optional()
  @ListOf(() => CreateInvoiceLine, { min: 1, max: 500 })
  lines?: CreateInvoiceLine[];

  /** What the lines' netCents must add up to; computed unless given. */
  @Optional()
  @Cents({ min: LOWEST })
  subtotalCents?: number;

  /** What the lines' taxCents must add up to; computed unless given. */
  @Optional()
  @Cents({ min: LOWEST })
  taxCents?: number;

  /** What the lines' totalCents must add up to; computed unless given. */
  @Optional()
  @Cents()
  totalCents?: number;
}

/** Of a draft. `lines` replaces all lines. */
export class UpdateInvoice extends patchOf(
  OmitType(CreateInvoice, ['id', 'bookingId', 'scheduleId', 'currency'] as const),
) {}

export class IssueInvoice {
  /** Today unless given; not before the last issue date of the series' period. */
  @Optional()
  @IsoDate()
  issueDate?: string;

  /** The default of invoices unless given, else the only active one.
   * @example "iser_01k0dem000e000000000000001" */
  @Optional()
  @Id('iser')
  seriesId?: string;

  /** Not before issueDate; the draft's unless given. */
  @Optional()
  @IsoDate()
  dueDate?: string;
}

/** Why an invoice is voided. */
export class VoidInvoice {
  /** Kept with the invoice and in the action ledger.
   * @example "Made out to the wrong company" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListInvoices extends PageQuery {
  @Optional()
  @Id('book')
  bookingId?: string;

  @Optional()
  @OneOf(INVOICE_STATUSES)
  status?: InvoiceStatus;

  /** Due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Whether it is issued, its due date has passed and something is still to be paid. */
  @Optional()
  @QueryFlag()
  overdue?: boolean;

  /** Part of the number or of the payer's name, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** `-createdAt` unless given; a minus means descending, and invoices without the day come last either way. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
