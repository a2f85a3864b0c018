const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The local time of a zone (an IANA name) at an instant, in milliseconds as if it were UTC. */
export function wallTimeOf(instant: Date, timeZone: string): number {
  const seconds = Math.floor(instant.getTime() / 1000) * 1000;
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(seconds)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall + (instant.getTime() - seconds);
}

/** The local day of a zone at an instant, `YYYY-MM-DD`. */
export function localDayOf(instant: Date, timeZone: string): string {
  return new Date(wallTimeOf(instant, timeZone)).toISOString().slice(0, 10);
}

/** The local time of a zone with the offset in force at that instant, in whole seconds: `2026-03-28T09:00:00+02:00`. */
export function localTimeText(instant: Date, timeZone: string): string {
  const wall = wallTimeOf(instant, timeZone);
  const minutes = Math.round((wall - instant.getTime()) / 60_000);
  const digits = (count: number) => String(count).padStart(2, '0');
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `${minutes < 0 ? '-' : '+'}${digits(hours)}:${digits(rest)}`;
  return `${new Date(wall).toISOString().slice(0, 19)}${offset}`;
}

/**
 * The instant of a local time. If the clocks go back and it exists twice, the earlier one; if they go forward and skip
 * it, the same distance after the jump.
 */
export function instantOf(wallTime: number, timeZone: string): Date {
  const offsetAt = (time: number) => wallTimeOf(new Date(time), timeZone) - time;
  // No zone is further from UTC than a day, and none changes its clocks twice within two.
  const [before, after] = [wallTime - offsetAt(wallTime - DAY_MS), wallTime - offsetAt(wallTime + DAY_MS)];
  const shown = [before, after].filter((time) => wallTimeOf(new Date(time), timeZone) === wallTime);
  return new Date(shown.length > 0 ? Math.min(...shown) : before);
}

/** N calendar days earlier at the same local time, then N elapsed hours earlier. */
export function earlier(
  instant: Date,
  { days, hours, timeZone }: { days: number; hours: number; timeZone: string },
): Date {
  // In an hour that exists twice, an instant keeps its offset.
  const moved = days === 0 ? instant : instantOf(wallTimeOf(instant, timeZone) - days * DAY_MS, timeZone);
  return new Date(moved.getTime() - hours * HOUR_MS);
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(timeZone, made);
  return made;
}
