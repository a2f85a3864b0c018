import { daysAfter } from '../../../platform/time/calendar.js';
import { instantOf, localDayOf } from '../../../platform/time/local-time.js';
import { ZONE } from './season-plan.js';

/** The local day `days` after that of `now`. */
function localDay(now: Date, days: number): string {
  return daysAfter(localDayOf(now, ZONE), days);
}

/** The instant of a local time, `HH:MM`, `days` after the local day of `now`. */
export function localTime(now: Date, days: number, time: string): Date {
  return instantOf(Date.parse(`${localDay(now, days)}T${time}:00Z`), ZONE);
}
