import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Flag, Ignored, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { RESET_PERIODS, type ResetPeriod } from './number-pattern.js';
import { DOCUMENT_TYPES, type DocumentType } from './number-series.entity.js';

const SORT_FIELDS = ['name', 'createdAt'] as const;
/** Blanks belong to the number; control characters do not. */
const PRINTABLE = /^[^\u0000-\u001f\u007f-\u009f]*$/;
const MAX_NUMBER = 999_999_999_999;

export class CreateNumberSeries {
  @Ignored()
  id?: undefined;

  /** @example "Tours 2027" */
  @Text({ max: 120 })
  name: string;

  /** Literal text in place of `{prefix}`; `""` unless given. @example "TOUR-" */
  @Optional()
  @Text({ min: 0, max: 50, verbatim: true, pattern: PRINTABLE })
  prefix?: string;

  /** What the next issue in the current period uses; 1 unless given. It only moves forward.
   * @example 1 */
  @Optional()
  @Whole({ min: 1, max: MAX_NUMBER })
  nextNumber?: number;

  /** `{prefix}{SEQ:4}` unless given. Tokens: `{prefix}`, `{YYYY}`, `{YY}`, `{MM}`, and once `{SEQ}` or `{SEQ:n}`, padded
   * with zeros to n (1 to 12) digits. A number has at most 50 characters.
   * @example "{prefix}{YYYY}-{SEQ:4}" */
  @Optional()
  @Text({ max: 100, verbatim: true, pattern: PRINTABLE })
  pattern?: string;

  /** `invoice` unless given.
   * @example "invoice" */
  @Optional()
  @OneOf(DOCUMENT_TYPES)
  documentType?: DocumentType;

  /** When numbers begin again at 1: `never` unless given. `yearly` needs the year in the pattern, `monthly` also the month.
   * @example "yearly" */
  @Optional()
  @OneOf(RESET_PERIODS)
  resetPeriod?: ResetPeriod;

  /** Whether documents of this type take it where none is named; true unless given for the first of its type.
   * @example false */
  @Optional()
  @Flag()
  isDefault?: boolean;

  /** Whether it gives numbers; true unless given.
   * @example true */
  @Optional()
  @Flag()
  active?: boolean;
}

/** `prefix`, `pattern` and `resetPeriod` only while no number was given; `nextNumber` only forward. */
export class UpdateNumberSeries extends patchOf(OmitType(CreateNumberSeries, ['id', 'documentType'] as const)) {}

export class ListNumberSeries extends PageQuery {
  @Optional()
  @OneOf(DOCUMENT_TYPES)
  documentType?: DocumentType;

  @Optional()
  @QueryFlag()
  active?: boolean;

  /** `-createdAt` unless given; a minus means descending. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
