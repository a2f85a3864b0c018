import { type Recurrence, recurrenceDays } from '../../../platform/time/recurrence.js';
import { instantOf, wallTimeOf } from '../../../platform/time/local-time.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A local time at which a departure starts. */
export interface Occurrence {
  /** `YYYY-MM-DD`. */
  localDate: string;
  /** `HH:MM`. */
  localTime: string;
  startsAt: Date;
  endsAt: Date;
}

/** The rule counts from its first day; occurrences are wanted from a day to the last one. */
export interface OccurrenceDays {
  rule: Recurrence;
  first: string;
  from: string;
  last: string;
}

export interface OccurrenceTimes {
  timeZone: string;
  startTimes: readonly string[];
  durationMinutes: number;
  exdates: readonly string[];
  rdates: readonly string[];
}

/** The days of the schedule in their order. */
export function occurrenceDays(
  { rule, first, from, last }: OccurrenceDays,
  { exdates, rdates }: Pick<OccurrenceTimes, 'exdates' | 'rdates'>,
): string[] {
  const ruled = first > last ? [] : recurrenceDays(rule, { first, last });
  const added = rdates.filter((day) => day >= first && day <= last);
  const excluded = new Set(exdates);
  return [...new Set([...ruled, ...added])].filter((day) => day >= from && !excluded.has(day)).sort();
}

/**
 * The occurrences in the order of their local times. Of a local time that comes twice, the first counts. One that the clocks skip is
 * no occurrence (RFC 5545, 3.3.10); its instant is that after the jump.
 */
export function occurrencesOf(
  range: OccurrenceDays,
  schedule: OccurrenceTimes,
): { made: Occurrence[]; skipped: Occurrence[] } {
  const { timeZone, startTimes, durationMinutes } = schedule;
  const clock = new DayClock(timeZone);
  const [made, skipped]: [Occurrence[], Occurrence[]] = [[], []];
  for (const localDate of occurrenceDays(range, schedule)) {
    for (const localTime of [...startTimes].sort()) {
      const wallTime = Date.parse(`${localDate}T${localTime}:00Z`);
      const { startsAt, exists } = clock.at(wallTime, Date.parse(localDate));
      const endsAt = new Date(startsAt.getTime() + durationMinutes * MINUTE_MS);
      (exists ? made : skipped).push({ localDate, localTime, startsAt, endsAt });
    }
  }
  return { made, skipped };
}

/** Asks for the offset of a zone once per day, because a formatter takes some microseconds, and a schedule has thousands of times. */
class DayClock {
  private readonly offsets = new Map<number, number>();

  constructor(private readonly timeZone: string) {}

  at(wallTime: number, day: number): { startsAt: Date; exists: boolean } {
    const [before, after] = [this.offsetAt(day - DAY_MS), this.offsetAt(day + 2 * DAY_MS)];
    if (before === after) return { startsAt: new Date(wallTime - before), exists: true };
    const startsAt = instantOf(wallTime, this.timeZone);
    return { startsAt, exists: wallTimeOf(startsAt, this.timeZone) === wallTime };
  }

  private offsetAt(instant: number): number {
    const known = this.offsets.get(instant);
    if (known !== undefined) return known;
    const offset = wallTimeOf(new Date(instant), this.timeZone) - instant;
    this.offsets.set(instant, offset);
    return offset;
  }
}
