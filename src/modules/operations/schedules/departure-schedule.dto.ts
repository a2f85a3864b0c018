import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Flag,
  Id,
  ListOf,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import { CutoffResponse, LOCAL_TIME, toCutoff } from '../../products/index.js';
import {
  CreateDeparture,
  DepartureUnitPriceResponse,
  MAX_UNIT_PRICES,
  MAX_UNITS,
  PRODUCT_ID,
} from '../departures/departure.dto.js';
import type { DepartureSchedule } from './departure-schedule.entity.js';
import type { Occurrence } from './occurrences.js';

const MAX_TIMES = 24;
const MAX_DAYS = 500;
const MAX_MINUTES = 527_040;
const MAX_SHOWN = 2_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIMES = { min: 1, max: MAX_TIMES, maxLength: 5, pattern: LOCAL_TIME, otherwise: 'must be HH:MM', unique: true };
const DAYS = { max: MAX_DAYS, maxLength: 10, pattern: DAY, otherwise: 'must be YYYY-MM-DD', unique: true };

/** A new schedule. What it omits of a departure comes from the record of the product, as for a new departure. */
export class CreateDepartureSchedule extends OmitType(CreateDeparture, [
  'startsAt',
  'endsAt',
  'timeZone',
  'decideBy',
  'pickups',
] as const) {
  /**
   * IANA time zone of the local days and times; by default that of the product.
   * @example "Europe/Bucharest"
   */
  @Optional()
  @TimeZone()
  timeZone?: string;

  /**
   * First local day, at most ten years ago. The rule counts from it; it is a day of the schedule only if the rule matches it.
   * @example "2027-05-01"
   */
  @IsoDate()
  dtstart: string;

  /**
   * Local start times of each day, `HH:MM`.
   * @example ["09:00", "14:00"]
   */
  @Texts(TIMES)
  startTimes: string[];

  /**
   * Minutes from the start to the end of a departure, at most 366 days; by default those of the product.
   * @example 540
   */
  @Optional()
  @Whole({ min: 1, max: MAX_MINUTES })
  durationMinutes?: number;

  /**
   * Recurrence rule of RFC 5545 with the parts `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`, `YEARLY`), `INTERVAL`, `BYDAY`,
   * `BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, and `COUNT` or `UNTIL` (`YYYYMMDD`, inclusive). Weeks begin on Monday.
   * @example "FREQ=WEEKLY;BYDAY=TU,SA"
   */
  @Text({ max: 500 })
  rrule: string;

  /** Days of the rule on which nothing starts, `YYYY-MM-DD`. */
  @Optional()
  @Texts(DAYS)
  exdates?: string[];

  /** Days beside those of the rule, `YYYY-MM-DD`; not before `dtstart`. */
  @Optional()
  @Texts(DAYS)
  rdates?: string[];

  /**
   * Days ahead for which departures are made; 365 by default.
   * @example 365
   */
  @Optional()
  @Whole({ min: 1, max: 730 })
  horizonDays?: number;

  /** False: no more departures are made, and those that exist stay. True by default. */
  @Optional()
  @Flag()
  active?: boolean;
}

/** The fields of a schedule to change. Its product and time zone are fixed. */
export class UpdateDepartureSchedule extends patchOf(
  OmitType(CreateDepartureSchedule, ['id', 'productId', 'timeZone'] as const),
) {}

export const SCHEDULE_SCOPES = named('DepartureScheduleScope', ['all', 'following']);
export type ScheduleScope = (typeof SCHEDULE_SCOPES)[number];

export class ChangeScheduleQuery {
  /**
   * `all` (default): the schedule changes. `following`: it ends before the day `from`, and a new schedule with the changes begins on
   * it.
   */
  @Optional()
  @OneOf(SCHEDULE_SCOPES)
  scope?: ScheduleScope;

  /** First local day of the new schedule; only with `scope=following`, after `dtstart` and not past. */
  @Optional()
  @IsoDate()
  from?: string;
}

export class ListDepartureSchedules extends PageQuery {
  /** Only schedules of this product. */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Only schedules that are active, or only those that are not. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'dtstart'])
  sort?: string;
}

/** A rule by which departures of a product are made ahead. */
export class DepartureScheduleResponse {
  @Id('dsch')
  id: string;

  /** Product of the departures. */
  @Text({ max: 128 })
  productId: string;

  /** Option of the product (prefix `popt`) that the departures sell; null if all of them are sold. */
  @Id('popt')
  optionId: string | null;

  /** IANA time zone of the local days and times. */
  @TimeZone()
  timeZone: string;

  /** First local day. */
  @IsoDate()
  dtstart: string;

  /** Last local day if another schedule follows this one; null otherwise. */
  @IsoDate()
  endsOn: string | null;

  /** Local start times of each day, `HH:MM`. */
  @Texts(TIMES)
  startTimes: string[];

  /** Minutes from the start to the end of a departure. */
  @Whole({ min: 1, max: MAX_MINUTES })
  durationMinutes: number;

  /** Recurrence rule of RFC 5545. */
  @Text({ max: 500 })
  rrule: string;

  /** Days of the rule on which nothing starts, `YYYY-MM-DD`. */
  @Texts(DAYS)
  exdates: string[];

  /** Days beside those of the rule, `YYYY-MM-DD`. */
  @Texts(DAYS)
  rdates: string[];

  /** Days ahead for which departures are made. */
  @Whole({ min: 1, max: 730 })
  horizonDays: number;

  /** Whether departures are made. */
  @Flag()
  active: boolean;

  /** Units of each departure. */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  /** Price of one unit with tax, in minor units of `currency`. */
  @Cents()
  priceCents: number;

  /** Prices of units of the product on the departures, which precede price lists and `priceCents`. */
  @ListOf(() => DepartureUnitPriceResponse, { max: MAX_UNIT_PRICES })
  unitPrices: DepartureUnitPriceResponse[];

  /** Tax included in `priceCents`, in minor units. */
  @Cents()
  taxIncludedCents: number;

  /** Tax code of the departures (prefix `taxc`); null without one. */
  @Id('taxc')
  taxCodeId: string | null;

  /** ISO 4217 code of the price. */
  @CurrencyCode()
  currency: string;

  /** Meeting point (prefix `fac`); null without one. */
  @Id('fac')
  facilityId: string | null;

  /** End of sales of each departure; null if they end at the start. */
  cutoff: CutoffResponse | null;

  /** Minimum number of people in confirmed bookings for a departure to be guaranteed; null if it always runs. */
  @Whole({ min: 1, max: MAX_UNITS })
  minParticipants: number | null;

  /** Whether the departures are packages in the sense of Directive (EU) 2015/2302. */
  @Flag()
  euPackage: boolean;

  /** Code of the error that prevents new departures, such as `product_archived`; null without one. */
  @Text({ max: 100 })
  problem: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A departure with sales, which does not follow its schedule. */
export class KeptDeparture {
  /** Departure (prefix `dep`). */
  @Id('dep')
  departureId: string;

  /** Local day of the schedule for which it was made. */
  @IsoDate()
  localDate: string;
}

/** A local time of a schedule. */
export class OccurrenceResponse {
  /** Local day. */
  @IsoDate()
  localDate: string;

  /** Local time, `HH:MM`. */
  @Text({ max: 5, pattern: LOCAL_TIME })
  localTime: string;

  /** Start of the departure. */
  @Instant()
  startsAt: string;

  /** End of the departure. */
  @Instant()
  endsAt: string;
}

/** Why there is no departure at a local time of the schedule. */
export const SKIP_REASONS = named('SkippedOccurrenceReason', ['nonexistent_local_time']);
export type SkipReason = (typeof SKIP_REASONS)[number];

/** A local time of a schedule at which no departure is made. */
export class SkippedOccurrence {
  /** Local day. */
  @IsoDate()
  localDate: string;

  /** Local time, `HH:MM`. */
  @Text({ max: 5, pattern: LOCAL_TIME })
  localTime: string;

  /** `nonexistent_local_time`: the clocks skip it. */
  @OneOf(SKIP_REASONS)
  reason: SkipReason;
}

/** The departures that a schedule would make today. */
export class SchedulePreviewResponse {
  /** Local times within the horizon, in their order. */
  @ListOf(() => OccurrenceResponse, { max: MAX_SHOWN })
  occurrences: OccurrenceResponse[];

  /** Local times within the horizon at which no departure is made. */
  @ListOf(() => SkippedOccurrence, { max: MAX_SHOWN })
  skipped: SkippedOccurrence[];
}

export class DepartureScheduleEnvelope extends dataOf(DepartureScheduleResponse) {}
/** A schedule in a list, with names beside its IDs. */
class DepartureScheduleRow extends withNames(DepartureScheduleResponse, 'productId') {}

export class DepartureSchedulePage extends pageOf(DepartureScheduleRow) {}
export class SchedulePreviewEnvelope extends dataOf(SchedulePreviewResponse) {}

export class ChangedScheduleEnvelope extends dataOf(DepartureScheduleResponse) {
  /** Up to 200 departures ahead that have sales and stay as they are, the earliest first. */
  @ListOf(() => KeptDeparture, { max: 200 })
  kept: KeptDeparture[];
}

export function toDepartureSchedule(schedule: DepartureSchedule): DepartureScheduleResponse {
  const { cutoff } = schedule;
  const unitPrices = schedule.unitPrices.map((price) => respond(DepartureUnitPriceResponse, price));
  return respond(DepartureScheduleResponse, { ...schedule, unitPrices, cutoff: cutoff && toCutoff(cutoff) });
}

export function toSchedulePreview({
  made,
  skipped,
}: {
  made: readonly Occurrence[];
  skipped: readonly Occurrence[];
}): SchedulePreviewResponse {
  return respond(SchedulePreviewResponse, {
    occurrences: made.map(({ localDate, localTime, startsAt, endsAt }) =>
      respond(OccurrenceResponse, {
        ...{ localDate, localTime, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() },
      }),
    ),
    skipped: skipped.map(({ localDate, localTime }) =>
      respond(SkippedOccurrence, { localDate, localTime }, { reason: 'nonexistent_local_time' }),
    ),
  });
}
