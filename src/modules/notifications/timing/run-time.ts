import { instantOf } from '../../../platform/time/local-time.js';
import { DAY_MS, freeFrom, type SendingWindow, timeOfDay } from './sending-window.js';

const HOUR_MS = 3_600_000;
/** Runs are looked for every minute, so that none is ever on time to the second. */
const LEAST_GRACE_MS = 15 * 60_000;

/** A calendar day `YYYY-MM-DD` as a count of days. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

export function dayOfNumber(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** When a run is due before anybody is spared: so many days from the anchor, at this time by the organization's clocks. */
export function dueAt(
  { anchorDate, offsetDays, sendTime }: { anchorDate: string; offsetDays: number; sendTime: string },
  timeZone: string,
): Date {
  return instantOf((dayNumber(anchorDate) + offsetDays) * DAY_MS + timeOfDay(sendTime), timeZone);
}

/** `dueAt`, moved to where it is neither quiet nor a blackout day; null where that is nowhere near. */
export function runTime(due: Parameters<typeof dueAt>[0], window: SendingWindow): Date | null {
  return freeFrom(dueAt(due, window.timeZone), window);
}

/** Whether it is too late at this moment for what was planned for `runAt`. */
export function isTooLate(now: Date, { runAt, graceHours }: { runAt: Date; graceHours: number }): boolean {
  return now.getTime() > runAt.getTime() + Math.max(graceHours * HOUR_MS, LEAST_GRACE_MS);
}
