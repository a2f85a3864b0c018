import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, Instant } from '../../../platform/http/trade-fields.js';

export const TIMELINE_KINDS = extensible('TimelineKind', ['booking', 'trip', 'invoice', 'message', 'note']);
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export class TimelineQuery extends PageQuery {
  /** Only entries of these kinds. */
  @Optional()
  @AnyOf(TIMELINE_KINDS)
  kind?: TimelineKind[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** Something that happened with a customer. */
export class TimelineEntry {
  /** What the record is. */
  @OneOf(TIMELINE_KINDS)
  kind: TimelineKind;

  /** ID of the record. */
  @Text({ max: 100 })
  id: string;

  /** Number of the booking or invoice, title of the trip, subject of the message, or the first 200 characters of the note. */
  @Text({ max: 1_000 })
  title: string;

  /** State of the record; null for a note. */
  @Text({ max: 50 })
  status: string | null;

  /** Booking to which the record belongs (prefix `book`); null if there is none. */
  @Id('book')
  bookingId: string | null;

  /** Total of a booking, a trip or an invoice, in minor units; null for other kinds, and for a trip without a price. */
  @Cents()
  totalCents: number | null;

  /** Currency of the total; null if there is none. */
  @CurrencyCode()
  currency: string | null;

  /** When the record was created. */
  @Instant()
  createdAt: string;
}

/** A kind of entries that was left out. */
export class WithheldTimelineKind {
  /** What the records are. */
  @OneOf(TIMELINE_KINDS)
  kind: TimelineKind;
}

export class TimelinePage extends pageOf(TimelineEntry) {
  /** Kinds that were left out because the caller may not read them. */
  @ListOf(() => WithheldTimelineKind, { max: TIMELINE_KINDS.length })
  withheld: WithheldTimelineKind[];
}
