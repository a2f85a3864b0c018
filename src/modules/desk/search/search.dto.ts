import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';

export const RECORD_KINDS = extensible('FoundRecordKind', [
  'customer',
  'booking',
  'trip',
  'invoice',
  'contract',
  'departure',
]);
export type RecordKind = (typeof RECORD_KINDS)[number];

const MOST_PER_KIND = 20;
export const DEFAULT_PER_KIND = 5;

export class SearchRecords {
  /**
   * Words, a number, an e-mail address or a telephone number. A record is found if it contains each of the first eight words, in any
   * order, ignoring case, accents, apostrophes and hyphens.
   */
  @Text({ min: 2, max: 100 })
  q: string;

  /** Records per kind; 5 by default. */
  @Optional()
  @QueryWhole({ min: 1, max: MOST_PER_KIND })
  limit?: number;
}

/** A kind of records that was left out. */
export class WithheldKind {
  /** What the records are. */
  @OneOf(RECORD_KINDS)
  kind: RecordKind;
}

/** A record that a search found. */
export class FoundRecord {
  /** What the record is. */
  @OneOf(RECORD_KINDS)
  kind: RecordKind;

  /** ID of the record; of a contract its `reference`. */
  @Text({ max: 128 })
  id: string;

  /** Number by which people know the record; null if it has none. */
  @Text({ max: 100 })
  number: string | null;

  /** Name of the customer, payer or product, or title of the trip or contract. */
  @Text({ max: 500 })
  title: string;

  /** Status of the record, in the terms of its own resource. */
  @Text({ max: 20 })
  status: string;

  /** Local day of the departure or first service, or day of issue; null if there is none. */
  @IsoDate()
  day: string | null;

  /** Whether the query is the number or an e-mail address of the record. */
  @Flag()
  isExact: boolean;
}

/** What a search found. */
export class FoundRecords {
  /** Exact matches first, then by kind, the newest first. Upcoming departures come before past ones, the soonest at the top. */
  @ListOf(() => FoundRecord, { max: RECORD_KINDS.length * MOST_PER_KIND })
  records: FoundRecord[];

  /** Kinds that were left out because the caller may not read them. */
  @ListOf(() => WithheldKind, { max: RECORD_KINDS.length })
  withheld: WithheldKind[];
}

export class FoundRecordsEnvelope extends dataOf(FoundRecords) {}
