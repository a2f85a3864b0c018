import { pageOf, PageQuery } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { extensible, named } from '../../../platform/http/named-values.js';
import { AnyOf } from '../../../platform/http/query-fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { RESOURCE_TYPES, type ResourceType } from '../../products/index.js';
import { MAX_UNITS } from '../departures/departure.dto.js';
import { SALES_STATES, type SalesState } from '../departures/sales-state.js';

/** Entries on one page of a calendar. */
export const MAX_ENTRIES = 5_000;

export const CALENDAR_GROUPS = named('CalendarGrouping', ['resource', 'facility', 'product']);
export type CalendarGrouping = (typeof CALENDAR_GROUPS)[number];

export const CALENDAR_ENTRY_KINDS = extensible('CalendarEntryKind', ['departure', 'assignment', 'absence']);
export type CalendarEntryKind = (typeof CALENDAR_ENTRY_KINDS)[number];

export class CalendarQuery extends PageQuery {
  /** First day in the time zone of the organization; today by default. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Last day, inclusive, at most 61 days after `from`; six days after it by default. */
  @Optional()
  @IsoDate()
  to?: string;

  /** What has a row of its own: `resource` (default), `facility`, which is the meeting point, or `product`. */
  @Optional()
  @OneOf(CALENDAR_GROUPS)
  groupBy?: CalendarGrouping;

  /** Only resources of these kinds. Not for other groups. */
  @Optional()
  @AnyOf(RESOURCE_TYPES)
  resourceType?: ResourceType[];
}

/** A period of a row: a departure, an assignment of the resource to one, or an absence of the resource. */
export class CalendarEntry {
  /** What the period is. */
  @OneOf(CALENDAR_ENTRY_KINDS)
  kind: CalendarEntryKind;

  /** Start of the period, which may be before the calendar. */
  @Instant()
  startsAt: string;

  /** End of the period, which may be after the calendar. */
  @Instant()
  endsAt: string;

  /** Departure (prefix `dep`); null for an absence. */
  @Id('dep')
  departureId: string | null;

  /** Product of the departure; null for an absence. */
  @Text({ max: 128 })
  productId: string | null;

  /** Name of the product; null for an absence, or without a record of the product. */
  @Text({ max: 255 })
  productName: string | null;

  /** Assignment (prefix `rasn`); null unless the entry is one. */
  @Id('rasn')
  assignmentId: string | null;

  /** What the resource does on the departure; null if not stated. */
  @Text({ max: 100 })
  role: string | null;

  /** Whether the departure is on sale, and if not, why; null for an absence. */
  @OneOf(SALES_STATES)
  salesState: SalesState | null;

  /** Units of the departure that are sold; null for an absence. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number | null;

  /** Units of the departure in total; null for an absence. */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number | null;

  /** Whether the departure lacks resources that its product needs; false for an absence. */
  @Flag()
  understaffed: boolean;
}

/** A resource, a meeting point or a product with its periods. */
export class CalendarRow {
  /** ID of the resource, meeting point or product; null for departures without a meeting point. */
  @Text({ max: 128 })
  id: string | null;

  /** Name of the resource, meeting point or product; null without a record. */
  @Text({ max: 255 })
  name: string | null;

  /** Kind of the resource; null for other rows. */
  @OneOf(RESOURCE_TYPES)
  resourceType: ResourceType | null;

  /** Its periods in the calendar, by start. */
  @ListOf(() => CalendarEntry, { max: MAX_ENTRIES })
  entries: CalendarEntry[];
}

export class CalendarPage extends pageOf(CalendarRow) {}
