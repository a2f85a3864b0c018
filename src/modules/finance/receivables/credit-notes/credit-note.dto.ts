import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../../platform/http/dto.js';
import {
  Cents,
  Flag,
  Id,
  Ignored,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../../platform/http/query-fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { withNames } from '../../../../platform/http/row-names.js';
import { LINES_SOURCES, type LinesSource } from '../account/billing-document.entity.js';
import {
  CREDIT_NOTE_STATUSES,
  CREDIT_REASONS,
  type CreditNote,
  type CreditNoteStatus,
  type CreditReason,
} from '../account/credit-note.entity.js';
import { type AppliedRateResponse, BaseAmountsResponse, taxSummaryOf, toBaseAmounts } from '../../books/index.js';
import type { CreditNoteWithLines } from '../invoices/invoices.repository.js';
import { CorrectedPayer, STALE_ACTIONS, type StaleAction } from '../invoices/invoice.dto.js';
import {
  InvoiceLineResponse,
  InvoiceResponse,
  SellerResponse,
  TaxSummaryResponse,
  toInvoiceLine,
  toTaxSummary,
} from '../invoices/invoice-response.dto.js';

const SORT_FIELDS = ['issueDate', 'totalCents', 'createdAt'] as const;
const LOWEST = -Number.MAX_SAFE_INTEGER;

/** A line of the invoice to credit: an amount, a quantity, or, if both are omitted, the uncredited rest. */
export class CreditedLineInput {
  /**
   * The line of the invoice, 1 for the first.
   * @example 1
   */
  @Whole({ min: 1, max: 500 })
  linePosition: number;

  /**
   * Amount with tax, in minor units and with the sign of the line.
   * @example 1000
   */
  @Optional()
  @Cents({ min: LOWEST })
  amountCents?: number;

  /** Part of the line's quantity, as decimal text with at most 4 decimals. */
  @Optional()
  @DecimalText({ whole: 8, decimals: 4 })
  quantity?: string;
}

/** A new draft of a credit note for an issued invoice. */
export class CreateCreditNote {
  @Ignored()
  id?: undefined;

  /**
   * Issued invoice to credit (prefix `inv`); booking, currency and payer are copied from it.
   * @example "inv_01k0dem000e000000000000001"
   */
  @Id('inv')
  invoiceId: string;

  /**
   * `booking_changed` (default) and `cancellation` credit at most the amount billed beyond the price of the booking.
   * `correction` and `goodwill` credit up to the uncredited rest; the amount of a correction can be billed again, goodwill
   * lowers the price of the booking with an item of type `adjustment` when the credit note is issued.
   * @example "goodwill"
   */
  @Optional()
  @OneOf(CREDIT_REASONS)
  reason?: CreditReason;

  /**
   * Reason, printed on the credit note.
   * @example "The room was not ready on the first day"
   */
  @Text({ max: 2000, multiline: true })
  reasonText: string;

  /** The lines to credit; by default all that the reason allows. */
  @Optional()
  @ListOf(() => CreditedLineInput, { min: 1, max: 500 })
  lines?: CreditedLineInput[];
}

/** The fields of a draft to change. `lines` replaces all lines; the invoice is fixed. */
export class UpdateCreditNote extends patchOf(OmitType(CreateCreditNote, ['id', 'invoiceId'] as const)) {}

/** Options for issuing a credit note; every field has a default. */
export class IssueCreditNote {
  /**
   * Date on the credit note; today by default. Must be within the limits of the settings and not before the issue date of the
   * invoice.
   */
  @Optional()
  @IsoDate()
  issueDate?: string;

  /** Number series to use (prefix `iser`); must be active and for credit notes. The default series by default. */
  @Optional()
  @Id('iser')
  seriesId?: string;

  /** Handling of a stale draft: `reject` (default) or `redraw`, which recomputes its lines. */
  @Optional()
  @OneOf(STALE_ACTIONS)
  onStale?: StaleAction;
}

/** The reason why an invoice is wrong, and the payer of its replacement. */
export class CorrectInvoice extends CorrectedPayer {
  /**
   * Reason, printed on the credit note.
   * @example "Made out to the wrong company"
   */
  @Text({ max: 2000, multiline: true })
  reasonText: string;
}

export class ListCreditNotes extends PageQuery {
  /** Only credit notes of this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only credit notes of this invoice (prefix `inv`). */
  @Optional()
  @Id('inv')
  invoiceId?: string;

  /** Only credit notes in one of these statuses. */
  @Optional()
  @AnyOf(CREDIT_NOTE_STATUSES)
  status?: CreditNoteStatus[];

  /** Only credit notes issued on this day or later. */
  @Optional()
  @IsoDate()
  issuedFrom?: string;

  /** Only credit notes issued on this day or earlier. */
  @Optional()
  @IsoDate()
  issuedTo?: string;

  /**
   * Sort field, `-createdAt` by default; a leading `-` means descending order. Drafts come last when sorted by issue date.
   */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}

/** A credit note without its lines. Amounts are positive and reduce the claim of the invoice. */
export class CreditNoteSummary extends BaseAmountsResponse {
  @Id('crn')
  id: string;

  /** Booking of the invoice (prefix `book`). */
  @Id('book')
  bookingId: string;

  /** Credited invoice (prefix `inv`). */
  @Id('inv')
  invoiceId: string;

  /** `draft` until issued; an issued credit note is final. */
  @OneOf(CREDIT_NOTE_STATUSES)
  status: CreditNoteStatus;

  /** Number from the series for credit notes; null until issued. */
  @Text({ max: 50 })
  number: string | null;

  /** Number series that assigned the number (prefix `iser`); null until issued. */
  @Id('iser')
  seriesId: string | null;

  /** Date on the credit note; null until issued. */
  @IsoDate()
  issueDate: string | null;

  /** Reason for crediting the invoice, which determines the creditable amount. */
  @OneOf(CREDIT_REASONS)
  reason: CreditReason;

  /** Reason, printed on the credit note. */
  @Text({ max: 2000 })
  reasonText: string;

  /** Payer of the invoice. */
  @Text({ max: 255 })
  payerName: string;

  /** Postal address of the payer; null if not given. */
  @Text({ max: 1000 })
  payerAddress: string | null;

  /** Tax or VAT number of the payer; null if not given. */
  @Text({ max: 50 })
  payerTaxId: string | null;

  /** Issuing organization when the credit note was issued; null until then. */
  @Nested(() => SellerResponse)
  seller: SellerResponse | null;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Sum of the lines' `netCents`. */
  @Cents({ min: LOWEST })
  subtotalCents: number;

  /** Sum of the lines' `taxCents`. */
  @Cents({ min: LOWEST })
  taxCents: number;

  /** Credited amount. */
  @Cents()
  totalCents: number;

  /** Base currency of the accounts, ISO 4217; null until issued, or if the invoice has no base amounts. */
  declare baseCurrency: string | null;

  /** Exchange rate of the credited invoice; null until issued, or if the invoice has none. */
  declare exchangeRate: AppliedRateResponse | null;

  /**
   * Share of the base amount of the invoice. The credit notes that credit an invoice in full add up to exactly its base amount.
   */
  declare baseTotalCents: number | null;

  /** `booking` if the lines were computed from the booking, otherwise `manual`. */
  @OneOf(LINES_SOURCES)
  linesSource: LinesSource;

  /** Amount by which the open balance of the invoice fell; null until issued. */
  @Cents()
  openReducedCents: number | null;

  /** Paid money released from the invoice; null until issued. */
  @Cents()
  releasedCents: number | null;

  /** When the credit note was issued; null until then. */
  @Instant()
  issuedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** One line of a credit note. */
export class CreditNoteLineResponse extends InvoiceLineResponse {
  /**
   * The credited line of the invoice, 1 for the first. A second line for it credits a discount at a rate that the invoice does
   * not bill.
   */
  @Whole({ min: 1, max: 500 })
  linePosition: number;
}

/** A credit note with its lines. Amounts are in minor units of `currency`. */
export class CreditNoteResponse extends CreditNoteSummary {
  /** True if the draft no longer agrees with the booking or with the credited amounts; false once issued. */
  @Flag()
  stale: boolean;

  /** Reasons why the draft is stale; empty if it is not. */
  @Texts({ max: 10, maxLength: 50 })
  staleReasons: string[];

  /** Lines in the order of the invoice. */
  @ListOf(() => CreditNoteLineResponse, { min: 1, max: 500 })
  lines: CreditNoteLineResponse[];

  /** The sums of the lines for each tax code and rate. */
  @ListOf(() => TaxSummaryResponse, { min: 1, max: 500 })
  taxSummary: TaxSummaryResponse[];
}

/** The issued credit note for the wrong invoice, and the draft that replaces the invoice. */
class CorrectionResponse {
  /** The issued credit note, which credits the wrong invoice in full. */
  @Nested(() => CreditNoteResponse)
  creditNote: CreditNoteResponse;

  /** The draft that replaces the wrong invoice. */
  @Nested(() => InvoiceResponse)
  invoice: InvoiceResponse;
}

export interface CreditNoteView extends CreditNoteWithLines {
  staleReasons: readonly string[];
}

export function toCreditNoteSummary(note: CreditNote): CreditNoteSummary {
  return respond(CreditNoteSummary, note, {
    invoiceId: note.originalInvoiceId,
    seller: note.seller(),
    ...toBaseAmounts(note),
  });
}

export function toCreditNote({ note, lines, staleReasons }: CreditNoteView): CreditNoteResponse {
  return {
    ...toCreditNoteSummary(note),
    stale: staleReasons.length > 0,
    staleReasons: [...staleReasons],
    lines: lines.map((line) => ({ ...toInvoiceLine(line, note.currency), linePosition: line.originalPosition ?? 0 })),
    taxSummary: taxSummaryOf(lines, note).map(toTaxSummary),
  };
}

export class CreditNoteEnvelope extends dataOf(CreditNoteResponse) {}
export class CorrectionEnvelope extends dataOf(CorrectionResponse) {}
/** A credit note in a list, with names beside its IDs. */
class CreditNoteRow extends withNames(CreditNoteSummary, 'bookingId') {}

export class CreditNotePage extends pageOf(CreditNoteRow) {}
