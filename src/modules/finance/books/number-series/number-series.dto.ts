import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../../platform/http/dto.js';
import { Flag, Id, Ignored, OneOf, Optional, Text, Texts, Whole } from '../../../../platform/http/fields.js';
import { extensible } from '../../../../platform/http/named-values.js';
import { AnyOf, QueryFlag, SortBy } from '../../../../platform/http/query-fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { RESET_PERIODS, type ResetPeriod } from './number-pattern.js';
import { DOCUMENT_TYPES, type DocumentType, type NumberSeriesView } from './number-series.entity.js';

const SORT_FIELDS = ['name', 'createdAt'] as const;
/** A number may contain blanks, but no control characters. */
const PRINTABLE = /^[^\u0000-\u001f\u007f-\u009f]*$/;
const MAX_NUMBER = 999_999_999_999;

/** A new series of invoice numbers. */
export class CreateNumberSeries {
  @Ignored()
  id?: undefined;

  /**
   * Name for staff; not part of the numbers.
   * @example "Tours 2027"
   */
  @Text({ max: 120 })
  name: string;

  /**
   * Literal text that replaces `{prefix}` in the pattern; empty by default.
   * @example "TOUR-"
   */
  @Optional()
  @Text({ min: 0, max: 50, verbatim: true, pattern: PRINTABLE })
  prefix?: string;

  /**
   * Sequence of the next number in the current period; 1 by default. It can only be increased later.
   * @example 1
   */
  @Optional()
  @Whole({ min: 1, max: MAX_NUMBER })
  nextNumber?: number;

  /**
   * Form of the numbers, `{prefix}{SEQ:4}` by default. Tokens: `{prefix}`, `{YYYY}`, `{YY}`, `{MM}`, and exactly one
   * `{SEQ}` or `{SEQ:n}`, padded with zeros to n (1 to 12) digits. A number has at most 50 characters.
   * @example "{prefix}{YYYY}-{SEQ:4}"
   */
  @Optional()
  @Text({ max: 100, verbatim: true, pattern: PRINTABLE })
  pattern?: string;

  /**
   * Documents that use the series; `invoice` by default. It cannot be changed later.
   * @example "invoice"
   */
  @Optional()
  @OneOf(DOCUMENT_TYPES)
  documentType?: DocumentType;

  /**
   * Period after which the sequence restarts at 1: `never` (default), `yearly` or `monthly`. `yearly` needs the year in the
   * pattern, `monthly` also the month.
   * @example "yearly"
   */
  @Optional()
  @OneOf(RESET_PERIODS)
  resetPeriod?: ResetPeriod;

  /**
   * Whether documents of this type use the series if none is named; by default true for the first series of its type.
   * @example false
   */
  @Optional()
  @Flag()
  isDefault?: boolean;

  /**
   * Whether the series can assign numbers; true by default.
   * @example true
   */
  @Optional()
  @Flag()
  active?: boolean;
}

/**
 * The fields to change. `prefix`, `pattern` and `resetPeriod` only while no number was assigned; `nextNumber` can
 * only be increased.
 */
export class UpdateNumberSeries extends patchOf(OmitType(CreateNumberSeries, ['id', 'documentType'] as const)) {
  /** Reason for skipping numbers; required if `nextNumber` moves by more than 1. Stored with the gap. */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

/** The document of the series whose wrong issue date is released. */
export class ReleaseDate {
  /**
   * Invoice with a number of the series (prefix `inv`); void or credited in full.
   * @example "inv_01k0dem000e000000000000004"
   */
  @Id('inv')
  invoiceId: string;

  /**
   * Reason why the date is wrong; stored and listed in the sequence report.
   * @example "Issued with the date of next year"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export const SEQUENCE_ANOMALIES = extensible('SequenceAnomaly', ['gap', 'missing_document', 'date_out_of_order']);
export type SequenceAnomaly = (typeof SEQUENCE_ANOMALIES)[number];

/** A counter of a series: `all`, a year or a month. */
export const PERIOD_KEY = /^(all|\d{4}(-\d{2})?)$/;

export class ReadSequenceReport extends PageQuery {
  /** The counter to report: `all`, a year or a month such as `2027-03`; by default the current one. */
  @Optional()
  @Text({ max: 7, pattern: PERIOD_KEY })
  periodKey?: string;

  /** If true, only entries with an anomaly. */
  @Optional()
  @QueryFlag()
  anomalous?: boolean;

  /** Sort field, `sequence` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['sequence'])
  sort?: string;
}

/** A number of a counter, or a range of numbers that no document has. */
export class SequenceEntry {
  /** The sequence in the period, or the first one of a range. */
  @Whole({ min: 1, max: MAX_NUMBER })
  sequence: number;

  /** The last sequence of a range; otherwise the same as `sequence`. */
  @Whole({ min: 1, max: MAX_NUMBER })
  lastSequence: number;

  /** The number of the document; null without a document. */
  @Text({ max: 50 })
  number: string | null;

  /** The invoice (prefix `inv`) or credit note (prefix `crn`); null without a document. */
  @Text({ max: 50 })
  documentId: string | null;

  /** Type of the document; null without a document. */
  @OneOf(DOCUMENT_TYPES)
  documentType: DocumentType | null;

  /** Status of the document; null without a document. */
  @Text({ max: 50 })
  status: string | null;

  /** Date on the document; null without a document. */
  @IsoDate()
  issueDate: string | null;

  /** Time at which the issue date was released and stopped counting for the order of dates; null if it was not released. */
  @Instant()
  releasedAt: string | null;

  /** Reason for releasing the date or skipping the numbers; null if no reason is known. */
  @Text({ max: 2000 })
  reason: string | null;

  /**
   * `gap` if the numbers were skipped, `missing_document` if no document has the number and it was not skipped,
   * `date_out_of_order` if an earlier number has a later date that was not released; otherwise null.
   */
  @OneOf(SEQUENCE_ANOMALIES)
  anomaly: SequenceAnomaly | null;
}

export class SequenceReportPage extends pageOf(SequenceEntry) {}

export class ListNumberSeries extends PageQuery {
  /** Only series for these document types. */
  @Optional()
  @AnyOf(DOCUMENT_TYPES)
  documentType?: DocumentType[];

  /** Only series that can (true) or cannot (false) assign numbers. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}

/** A series of invoice numbers with its current counter. */
export class NumberSeriesResponse {
  @Id('iser')
  id: string;

  /** Name for staff; not part of the numbers. */
  @Text({ max: 120 })
  name: string;

  /** Literal text that replaces `{prefix}` in the pattern; may be empty. */
  @Text({ min: 0, max: 50 })
  prefix: string;

  /** Sequence that the next issue in the current period gets. */
  @Whole({ min: 1, max: 1_000_000_000_000 })
  nextNumber: number;

  /** Form of the numbers, with the tokens `{prefix}`, `{YYYY}`, `{YY}`, `{MM}`, `{SEQ}` and `{SEQ:n}`. */
  @Text({ max: 100 })
  pattern: string;

  /** Documents that use the series. */
  @OneOf(DOCUMENT_TYPES)
  documentType: DocumentType;

  /** Period after which the sequence restarts at 1. */
  @OneOf(RESET_PERIODS)
  resetPeriod: ResetPeriod;

  /** Whether documents of this type use the series if none is named. */
  @Flag()
  isDefault: boolean;

  /** Whether the series can assign numbers. */
  @Flag()
  active: boolean;

  /**
   * `pattern_shared`: another series of this type produces the same numbers, so issuing can fail until one of them is
   * advanced.
   */
  @Texts({ max: 1, maxLength: 50 })
  warnings: string[];

  /** Increases with every change and every number assigned. It is also the ETag; If-Match is compared with it. */
  @Whole({ min: 1, max: 1_000_000_000_000 })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toNumberSeries({ series, nextNumber, isShared, version }: NumberSeriesView): NumberSeriesResponse {
  return respond(NumberSeriesResponse, series, { nextNumber, warnings: isShared ? ['pattern_shared'] : [], version });
}

export class NumberSeriesEnvelope extends dataOf(NumberSeriesResponse) {}
export class NumberSeriesPage extends pageOf(NumberSeriesResponse) {}
