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

export class NumberSeriesResponse {
  @Id('iser')
  id: string;

  @Text({ max: 120 })
  name: string;

  @Text({ min: 0, max: 50 })
  prefix: string;

  /** What the next issue in the current period uses. */
  @Whole({ min: 1, max: 1_000_000_000_000 })
  nextNumber: number;

  @Text({ max: 100 })
  pattern: string;

  @OneOf(DOCUMENT_TYPES)
  documentType: DocumentType;

  @OneOf(RESET_PERIODS)
  resetPeriod: ResetPeriod;

  @Flag()
  isDefault: boolean;

  @Flag()
  active: boolean;

  /** `pattern_shared`: another series of this type has the same numbers; one of them must move on. */
  @Texts({ max: 1, maxLength: 50 })
  warnings: string[];

  /** Raised by every change and by every number given; also the ETag. */
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
