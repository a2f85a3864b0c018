import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { RESET_PERIODS, type ResetPeriod } from './number-pattern.js';
import { DOCUMENT_TYPES, type DocumentType, type NumberSeries } from './number-series.entity.js';

/** A series with what its counters and the other series tell. */
export interface NumberSeriesView {
  series: NumberSeries;
  nextNumber: number;
  isUsed: boolean;
  isShared: boolean;
  /** Raised by changes and by each number given. */
  version: number;
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

  /** When the sequence restarts at 1. */
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

  /** Increases with every change and every number assigned. It is also the ETag, and what If-Match is compared with. */
  @Whole({ min: 1, max: 1_000_000_000_000 })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toNumberSeries({ series, nextNumber, isShared, version }: NumberSeriesView): NumberSeriesResponse {
  return {
    id: series.id,
    name: series.name,
    prefix: series.prefix,
    nextNumber,
    pattern: series.pattern,
    documentType: series.documentType,
    resetPeriod: series.resetPeriod,
    isDefault: series.isDefault,
    active: series.active,
    warnings: isShared ? ['pattern_shared'] : [],
    version,
    createdAt: series.createdAt.toISOString(),
    updatedAt: series.updatedAt.toISOString(),
  };
}

export class NumberSeriesEnvelope extends dataOf(NumberSeriesResponse) {}
export class NumberSeriesPage extends pageOf(NumberSeriesResponse) {}
