import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Whole,
} from '../../../../platform/http/fields.js';
import { named } from '../../../../platform/http/named-values.js';
import { AnyOf, QueryFlag, SortBy } from '../../../../platform/http/query-fields.js';
import { CurrencyCode, DecimalText, IsoDate } from '../../../../platform/http/trade-fields.js';
import { PRICE_BASES, type PriceBasis } from '../account/billing-document.entity.js';
import { INVOICE_STATUSES, type InvoiceStatus } from '../account/invoice.entity.js';

const SORT_FIELDS = ['issueDate', 'dueDate', 'totalCents', 'createdAt'] as const;
export const STALE_ACTIONS = named('StaleAction', ['reject', 'redraw']);
export type StaleAction = (typeof STALE_ACTIONS)[number];

const LOWEST = -Number.MAX_SAFE_INTEGER;

/** One line of an invoice. Amounts are in minor units of the booking currency. */
export class CreateInvoiceLine {
  /** Active item of the same booking (prefix `bkit`); null if the line is for no item. */
  @Clearable()
  @Id('bkit')
  bookingItemId?: string | null;

  /**
   * Description of the service, as printed on the invoice.
   * @example "Airport transfer"
   */
  @Text({ max: 500 })
  description: string;

  /**
   * Decimal number as text with at most 4 decimals; `1` by default.
   * @example "2"
   */
  @Optional()
  @DecimalText({ whole: 8, decimals: 4 })
  quantity?: string;

  /**
   * Basis of `unitPriceCents`: `net` (default) is without tax, `gross` with tax, `allocated` with a tax that is used as sent.
   * @example "net"
   */
  @Optional()
  @OneOf(PRICE_BASES)
  priceBasis?: PriceBasis;

  /**
   * Price of one unit in minor units: with tax if `priceBasis` is `gross` or `allocated`, otherwise without. Negative for a
   * discount.
   * @example 500
   */
  @Cents({ min: LOWEST })
  unitPriceCents: number;

  /**
   * Tax code of the line (prefix `taxc`); by default the item's. With null, or if the item has none, the line belongs to the
   * amounts without a tax code.
   */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  @Ignored()
  netUnitPrice?: undefined;

  @Ignored()
  taxCode?: undefined;

  @Ignored()
  taxKind?: undefined;

  /**
   * Tax rate in basis points, 1900 is 19 %. If it is omitted, a tax code's rate on the service date applies. Without rate and
   * tax code, `taxCents` is used as sent.
   * @example 1900
   */
  @Clearable()
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints?: number | null;

  /**
   * `quantity` * `unitPriceCents`, rounded half up, less the tax if the price includes it. If sent, it must equal the
   * computed amount.
   */
  @Optional()
  @Cents({ min: LOWEST })
  netCents?: number;

  /**
   * With a rate, `netCents` * `taxRateBasisPoints` / 10000, or the part of a gross price, rounded half up; if sent, it
   * must equal that. Without a rate, or with `allocated`, the tax as sent, 0 by default. Between 0 and `totalCents`.
   */
  @Optional()
  @Cents({ min: LOWEST })
  taxCents?: number;

  /** `netCents` + `taxCents`. If sent, it must equal the computed amount. */
  @Optional()
  @Cents({ min: LOWEST })
  totalCents?: number;

  @Ignored()
  mention?: undefined;

  /** First day on which the service is delivered; by default the item's. */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;

  /** Last day of the service, not before `serviceDate`; null if it is delivered on one day. */
  @Clearable()
  @IsoDate()
  serviceEndDate?: string | null;
}

/** A new draft invoice for a booking, for one of its installments or for given lines. */
export class CreateInvoice {
  @Ignored()
  id?: undefined;

  /**
   * Invoiced booking (prefix `book`); for a cancelled one only the fee, by its installment.
   * @example "book_01k0dem000e000000000000018"
   */
  @Id('book')
  bookingId: string;

  /** Installment that the invoice requests (prefix `psch`); the total must equal its amount. */
  @Clearable()
  @Id('psch')
  scheduleId?: string | null;

  /** Currency of the booking, ISO 4217; any other one is rejected. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /**
   * Person or company billed; the customer name of the booking by default.
   * @example "Clara Weber"
   */
  @Optional()
  @Text({ max: 255 })
  payerName?: string;

  /**
   * Postal address of the payer, with line breaks. An empty string means null.
   * @example "12 Lake Road, Lucerne"
   */
  @Clearable()
  @Text({ max: 1000, multiline: true, emptyIsNull: true })
  payerAddress?: string | null;

  /**
   * Tax or VAT number of the payer. An empty string means null.
   * @example "CHE-123.456.788"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  payerTaxId?: string | null;

  /**
   * Payment deadline; the due date of the installment by default. Without one, issuing sets it; a date before the
   * issue date is moved to the issue date.
   */
  @Clearable()
  @IsoDate()
  dueDate?: string | null;

  /** Lines, 1 to 500; by default one per active item of the booking, or one for the installment. */
  @Optional()
  @ListOf(() => CreateInvoiceLine, { min: 1, max: 500 })
  lines?: CreateInvoiceLine[];

  /** Sum of the lines' `netCents`. If sent, it must equal the computed sum. */
  @Optional()
  @Cents({ min: LOWEST })
  subtotalCents?: number;

  /** Sum of the lines' `taxCents`. If sent, it must equal the computed sum. */
  @Optional()
  @Cents({ min: LOWEST })
  taxCents?: number;

  /** Sum of the lines' `totalCents`, not negative. If sent, it must equal the computed sum. */
  @Optional()
  @Cents()
  totalCents?: number;
}

/** The fields of a draft to change. `lines` replaces all lines; booking, installment and currency are fixed. */
export class UpdateInvoice extends patchOf(
  OmitType(CreateInvoice, ['id', 'bookingId', 'scheduleId', 'currency'] as const),
) {}

/** Options for issuing an invoice; every field has a default. */
export class IssueInvoice {
  /**
   * Date on the invoice; today by default. Must be within the limits of the settings, and not earlier than the last issue date
   * in the series' period.
   */
  @Optional()
  @IsoDate()
  issueDate?: string;

  /**
   * Number series to use (prefix `iser`); must be active and for invoices. The default series by default, otherwise
   * the only active one.
   * @example "iser_01k0dem000e000000000000001"
   */
  @Optional()
  @Id('iser')
  seriesId?: string;

  /** Payment deadline, not before `issueDate`; by default the draft's, otherwise the issue date. */
  @Optional()
  @IsoDate()
  dueDate?: string;

  /** Handling of a stale draft: `reject` (default) or `redraw`, which computes its lines and payer again. */
  @Optional()
  @OneOf(STALE_ACTIONS)
  onStale?: StaleAction;
}

/** Options for redrawing a draft. */
export class RedrawInvoice {
  /**
   * If true, lines that staff entered are replaced; otherwise such a draft is rejected.
   * @example true
   */
  @Optional()
  @Flag()
  discardLines?: boolean;
}

/** The day on which an invoice was sent by other means than this service. */
export class DeliverInvoice {
  /**
   * Day of the sending, from the issue date to today.
   * @example "2027-01-31"
   */
  @IsoDate()
  sentOn: string;
}

/** The payer of a corrected invoice; omitted members stay as they are. */
export class CorrectedPayer {
  /**
   * Person or company billed.
   * @example "Clara Weber"
   */
  @Optional()
  @Text({ max: 255 })
  payerName?: string;

  /** Postal address of the payer, with line breaks. An empty string means null. */
  @Clearable()
  @Text({ max: 1000, multiline: true, emptyIsNull: true })
  payerAddress?: string | null;

  /** Tax or VAT number of the payer. An empty string means null. */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  payerTaxId?: string | null;
}

/** Reason for voiding an invoice. */
export class VoidInvoice {
  /**
   * Stored with the invoice and the action ledger entry.
   * @example "Made out to the wrong company"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListInvoices extends PageQuery {
  /** Only invoices of this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only invoices in one of these statuses. */
  @Optional()
  @AnyOf(INVOICE_STATUSES)
  status?: InvoiceStatus[];

  /** Only invoices due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Only invoices due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Only invoices issued on this day or later; drafts have no such day. */
  @Optional()
  @IsoDate()
  issuedFrom?: string;

  /** Only invoices issued on this day or earlier; drafts have no such day. */
  @Optional()
  @IsoDate()
  issuedTo?: string;

  /** If true, only issued invoices with a passed due date and an open balance; if false, only the others. */
  @Optional()
  @QueryFlag()
  overdue?: boolean;

  /**
   * Only invoices of the booking with this number, and invoices whose number and payer name contain each of these words (up to
   * eight), in any order, ignoring case, accents, apostrophes and hyphens.
   */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /**
   * Sort field, `-createdAt` by default; a leading `-` means descending order. Invoices without the date come last in
   * either order.
   */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
