import { earlier, instantOf, wallTimeOf } from '../../../platform/time/local-time.js';
import type { Cutoff } from '../../products/index.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

interface Schedule {
  startsAt: Date;
  endsAt: Date;
  /** IANA name. */
  timeZone: string;
}

/** Returns the instant at which sales end, at the latest the start. Local times are in the time zone of the departure. */
export function cutoffInstant(cutoff: Cutoff | null, { startsAt, timeZone }: Schedule): Date | null {
  if (cutoff === null) return null;
  if ('minutesBefore' in cutoff) return new Date(startsAt.getTime() - cutoff.minutesBefore * MINUTE_MS);
  const [hour = 0, minute = 0] = cutoff.at.split(':').map(Number);
  const wallTime = localDay(startsAt, timeZone) - cutoff.daysBefore * DAY_MS + (hour * 60 + minute) * MINUTE_MS;
  const instant = instantOf(wallTime, timeZone);
  return instant < startsAt ? instant : startsAt;
}

/**
 * Returns the deadline for an organizer to cancel a package free of charge because too few have enrolled: 20 days before trips
 * of more than 6 days, 7 days before trips of 2 to 6 days, 48 hours before shorter ones (Directive (EU) 2015/2302, Article 12).
 * A day is a calendar day on which the trip takes place.
 */
export function latestNoticeInstant({ startsAt, endsAt, timeZone }: Schedule): Date {
  const lastInstant = new Date(endsAt.getTime() - 1);
  const days = (localDay(lastInstant, timeZone) - localDay(startsAt, timeZone)) / DAY_MS + 1;
  if (days < 2) return earlier(startsAt, { days: 0, hours: 48, timeZone });
  return earlier(startsAt, { days: days > 6 ? 20 : 7, hours: 0, timeZone });
}

/** Returns the start of the local day, in the terms of `wallTimeOf`. */
function localDay(instant: Date, timeZone: string): number {
  return Math.floor(wallTimeOf(instant, timeZone) / DAY_MS) * DAY_MS;
}
