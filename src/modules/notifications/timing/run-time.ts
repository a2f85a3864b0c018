import { instantOf } from '../../../platform/time/local-time.js';
import { DAY_MS, freeFrom, type SendingWindow, timeOfDay } from './sending-window.js';

const HOUR_MS = 3_600_000;
/** Due runs are processed every minute, so a run is never sent exactly at its time. */
const MIN_GRACE_MS = 15 * 60_000;

/** Converts a calendar day `YYYY-MM-DD` to a number of days. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

export function dayOfNumber(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the due time of a run before quiet hours and blackout days are applied. */
export function dueAt(
  { anchorDate, offsetDays, sendTime }: { anchorDate: string; offsetDays: number; sendTime: string },
  timeZone: string,
): Date {
  return instantOf((dayNumber(anchorDate) + offsetDays) * DAY_MS + timeOfDay(sendTime), timeZone);
}

/** Moves `dueAt` out of quiet hours and blackout days; null if no free instant is near. */
export function runTime(due: Parameters<typeof dueAt>[0], window: SendingWindow): Date | null {
  return freeFrom(dueAt(due, window.timeZone), window);
}

/** Returns whether it is too late to send a run planned for `runAt`. */
export function isTooLate(now: Date, { runAt, graceHours }: { runAt: Date; graceHours: number }): boolean {
  return now.getTime() > runAt.getTime() + Math.max(graceHours * HOUR_MS, MIN_GRACE_MS);
}
