import type { Env } from '../../../platform/config/env.js';
import { instantOf, wallTimeOf } from '../../../platform/time/local-time.js';

const MINUTE_MS = 60_000;
export const DAY_MS = 1_440 * MINUTE_MS;
export const MAX_DELAY_DAYS = 60;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Times without reminders, in the local time of the organization. */
export interface SendingWindow {
  readonly timeZone: string;
  /** Quiet hours such as `22:00-08:00`; null if there are none. */
  readonly quietHours: string | null;
  /** Blackout days: weekdays (`sat`), days of every year (`12-25`) and single days (`2027-04-02`). */
  readonly blackoutDays: readonly string[];
}

export function sendingWindowOf({ orgTimeZone: timeZone, quietHours, blackoutDays }: Env): SendingWindow {
  return { timeZone, quietHours, blackoutDays };
}

/** Converts a time `HH:MM` to milliseconds since midnight. */
export function timeOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}

/** Returns the first instant from this one on at which reminders may be sent; null if there is none within 60 days. */
export function freeFrom(wanted: Date, window: SendingWindow): Date | null {
  const latest = wanted.getTime() + MAX_DELAY_DAYS * DAY_MS;
  for (let instant = wanted; instant.getTime() <= latest;) {
    const wall = wallTimeOf(instant, window.timeZone);
    const end = endOfBlackout(wall, window) ?? endOfQuiet(wall, window);
    if (end === null) return instant;
    const shown = instantOf(end, window.timeZone);
    // In the repeated hour of a clock change, the end may precede this instant and occur again after it.
    instant = shown > instant ? shown : new Date(instant.getTime() + end - wall);
  }
  return null;
}

function endOfBlackout(wall: number, { blackoutDays }: SendingWindow): number | null {
  const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
  const day = new Date(midnight).toISOString().slice(0, 10);
  const names = [day, day.slice(5), WEEKDAYS[new Date(midnight).getUTCDay()]];
  return blackoutDays.some((blackout) => names.includes(blackout)) ? midnight + DAY_MS : null;
}

function endOfQuiet(wall: number, { quietHours }: SendingWindow): number | null {
  if (quietHours === null) return null;
  const [from = 0, to = 0] = quietHours.split('-').map(timeOfDay);
  const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
  const time = wall - midnight;
  if (from <= to) return time >= from && time < to ? midnight + to : null;
  if (time >= from) return midnight + DAY_MS + to;
  return time < to ? midnight + to : null;
}
