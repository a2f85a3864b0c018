import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import { parseRecurrence } from '../../../platform/time/recurrence.js';
import type { Cutoff, DepartureUnitPrice } from '../../products/index.js';
import { assertPricedOnce } from '../departures/departure.entity.js';
import { type Occurrence, type OccurrenceDays, occurrenceDays, occurrencesOf } from './occurrences.js';

const MAX_OCCURRENCES = 2_000;
const MAX_PAST_DAYS = 3_653;

/** What a change of a schedule may contain. */
export interface ScheduleChanges {
  dtstart?: string;
  startTimes?: string[];
  durationMinutes?: number;
  rrule?: string;
  exdates?: string[];
  rdates?: string[];
  horizonDays?: number;
  active?: boolean;
  capacity?: number;
  priceCents?: number;
  taxIncludedCents?: number;
  taxCodeId?: string | null;
  currency?: string;
  facilityId?: string | null;
  cutoff?: Cutoff | null;
  minParticipants?: number | null;
  euPackage?: boolean;
  optionId?: string | null;
  unitPrices?: DepartureUnitPrice[];
}

/** A rule by which departures of a product are made ahead. */
@Entity('departure_schedules')
export class DepartureSchedule extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'product_id' }) productId: string;
  /** The option that its departures sell; null for all options of the product. */
  @Column('text', { name: 'option_id', nullable: true }) optionId: string | null;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  /** First local day; nothing is made before it. */
  @Column('date') dtstart: string;
  /** Last local day, if a later schedule follows this one. */
  @Column('date', { name: 'ends_on', nullable: true }) endsOn: string | null;
  /** Local times, `HH:MM`. */
  @Impersonal()
  @Column('text', { name: 'start_times', array: true })
  startTimes: string[];
  @Column('integer', { name: 'duration_minutes' }) durationMinutes: number;
  @Impersonal()
  @Column('text')
  rrule: string;
  /** Days of the rule on which nothing starts. */
  @Impersonal()
  @Column('text', { array: true })
  exdates: string[];
  /** Days beside those of the rule. */
  @Impersonal()
  @Column('text', { array: true })
  rdates: string[];
  /** Departures are made this many days ahead. */
  @Column('integer', { name: 'horizon_days' }) horizonDays: number;
  @Column('boolean') active: boolean;
  @Column('integer') capacity: number;
  @Column('bigint', { name: 'price_cents', transformer: safeInteger }) priceCents: number;
  /** Prices of units of the product, as departures have them. */
  @Impersonal()
  @Column('jsonb', { name: 'unit_prices' })
  unitPrices: DepartureUnitPrice[];
  @Column('bigint', { name: 'tax_included_cents', transformer: safeInteger }) taxIncludedCents: number;
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  @Column('text') currency: string;
  @Column('text', { name: 'facility_id', nullable: true }) facilityId: string | null;
  @Impersonal()
  @Column('jsonb', { nullable: true })
  cutoff: Cutoff | null;
  @Column('integer', { name: 'min_participants', nullable: true }) minParticipants: number | null;
  @Column('boolean', { name: 'eu_package' }) euPackage: boolean;
  /** Code of the error that kept the job from making departures; null after a run without one. */
  @Impersonal()
  @Unaudited('the job stores what stopped it')
  @Column('text', { nullable: true })
  problem: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: ScheduleChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }

  /** The rule is counted from its first day, so that a distant one would cost every reader. */
  assertRecent(today: string): void {
    if (daysBetween(this.dtstart, today) <= MAX_PAST_DAYS) return;
    throw invalidField('dtstart', 'dtstart must not be more than ten years ago', 'day_out_of_range');
  }

  /** Throws 422 `schedule_too_dense` for more than 2,000 departures within the horizon. */
  assertConsistent(today: string): void {
    if (parseRecurrence(this.rrule) === null) {
      throw invalidField('rrule', 'rrule has parts that are not supported', 'wrong_format', { format: 'rrule' });
    }
    if (this.taxIncludedCents > this.priceCents) {
      throw invalidField('taxIncludedCents', 'taxIncludedCents must not exceed priceCents', 'tax_exceeds_price');
    }
    assertPricedOnce(this.unitPrices);
    const count = occurrenceDays(this.daysAhead(today), this).length * this.startTimes.length;
    if (count <= MAX_OCCURRENCES) return;
    const details = { field: 'rrule', departures: count, max: MAX_OCCURRENCES };
    throw unprocessable('schedule_too_dense', 'The schedule has too many departures within its horizon', details);
  }

  /** The local times from a day to the horizon of that day, and those that the clocks skip. */
  occurrencesAhead(today: string): { made: Occurrence[]; skipped: Occurrence[] } {
    return occurrencesOf(this.daysAhead(today), this);
  }

  private daysAhead(today: string): OccurrenceDays {
    const rule = parseRecurrence(this.rrule);
    if (!rule) throw new Error(`The stored rule of ${this.id} is not supported`);
    const horizon = daysAfter(today, this.horizonDays);
    const last = this.endsOn !== null && this.endsOn < horizon ? this.endsOn : horizon;
    return { rule, first: this.dtstart, from: today, last };
  }
}
