import { extensible, named } from '../../../platform/http/named-values.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, OneOf, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant } from '../../../platform/http/trade-fields.js';
import { type AccountingPeriod, PERIOD_STATUSES, type PeriodStatus } from '../books/index.js';

const WARNINGS = extensible('PeriodWarning', ['unbilled_receipts']);
const BLOCKERS = named('PeriodBlocker', ['integrity', 'credit_due', 'open_settlements', 'number_gaps']);

/** The reason for reopening an accounting period. */
export class ReopenPeriod {
  /**
   * Reason for reopening the period; kept in the action ledger.
   * @example "A supplier invoice of the month was missing"
   */
  @Text({ max: 2000 })
  reason: string;
}

/** The reference under which an accounting period was filed. */
export class FilePeriod {
  /**
   * Reference of the tax return that contains the period.
   * @example "VAT-2026-03"
   */
  @Text({ max: 255 })
  reference: string;
}

/** A problem that must be resolved before the period can be closed. */
class PeriodBlockerResponse {
  /**
   * `integrity`: violated accounting rules; `credit_due`: bookings with a tax code billed wrongly; `open_settlements`:
   * cancellations with documents, payments or a fee; `number_gaps`: series with numbers that are on no document and in no
   * recorded gap.
   */
  @OneOf(BLOCKERS)
  type: (typeof BLOCKERS)[number];

  /** Number of rules, bookings, settlements or series. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Names of the rules, or IDs of the first bookings, settlements or series, at most 20. */
  @Texts({ max: 20, maxLength: 100 })
  examples: string[];
}

/** A warning that staff should check before the period is closed. It does not prevent the closing. */
class PeriodWarningResponse {
  /** `unbilled_receipts`: received money without an invoice, whose tax is due; the report of unbilled receipts lists it. */
  @OneOf(WARNINGS)
  type: (typeof WARNINGS)[number];

  /** Number of payments. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** IDs of the first payments, at most 20. */
  @Texts({ max: 20, maxLength: 100 })
  examples: string[];
}

/** A figure of the period in one currency. */
class PeriodFigureResponse {
  /**
   * Open amounts at the end of the period: `receivables` by installments and `documents` by invoices, both with refunds that no
   * money covers, `payables`, and received money that settled nothing (`unapplied`), covers requested refunds (`reserved`), or
   * is allocated to debts of quotes and of unsettled cancelled bookings (`held`). Sums of the period: `invoiced`, `output_tax`,
   * `input_tax`, `payments`.
   */
  @Text({ max: 50 })
  name: string;

  /** Currency of the figure, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Amount in minor units, as text because a sum may exceed every bound. */
  @Text({ max: 50 })
  cents: string;
}

/** A month of the books with its figures. */
export class PeriodResponse {
  /** Month, `YYYY-MM`. */
  @Text({ max: 7 })
  period: string;

  /** Status of the period. Nothing can be posted in a closed or filed one. */
  @OneOf(PERIOD_STATUSES)
  status: PeriodStatus;

  /** Whether the period can be closed now: it has ended, the earlier ones are closed, and nothing blocks it. */
  @Flag()
  closable: boolean;

  /** Problems that must be resolved before the period can be closed; empty once it is closed. */
  @ListOf(() => PeriodBlockerResponse, { max: 4 })
  blockers: PeriodBlockerResponse[];

  /** Warnings that staff should check before closing the period; empty once it is closed. */
  @ListOf(() => PeriodWarningResponse, { max: 10 })
  warnings: PeriodWarningResponse[];

  /** The current figures, or the figures stored at the closing. */
  @ListOf(() => PeriodFigureResponse, { max: 2000 })
  figures: PeriodFigureResponse[];

  /** When the period was closed; null while it is open. */
  @Instant()
  closedAt: string | null;

  /** User who closed it; null while it is open. */
  @Text({ max: 100 })
  closedBy: string | null;

  /** When the period was filed; null until then. */
  @Instant()
  filedAt: string | null;

  /** Reference of the tax return; null until the period is filed. */
  @Text({ max: 255 })
  filingReference: string | null;

  @Version()
  version: number;
}

export class PeriodEnvelope extends dataOf(PeriodResponse) {}

export interface PeriodView {
  period: AccountingPeriod;
  closable: boolean;
  blockers: PeriodBlockerResponse[];
  warnings: PeriodWarningResponse[];
  figures: PeriodFigureResponse[];
}

export type Blocker = PeriodBlockerResponse;
export type PeriodWarning = PeriodWarningResponse;
export type Figure = PeriodFigureResponse;

export function toPeriod({ period, closable, blockers, warnings, figures }: PeriodView): PeriodResponse {
  return respond(PeriodResponse, period, { period: period.id, closable, blockers, warnings, figures });
}
