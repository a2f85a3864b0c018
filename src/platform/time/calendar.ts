const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_MS = 86_400_000;
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether this is `YYYY-MM-DD`, a real day of the Gregorian calendar, from 1900-01-01 to 2199-12-31. */
export function isCalendarDay(value: unknown): value is string {
  const match = typeof value === 'string' ? DAY.exec(value) : null;
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return year >= 1900 && year <= 2199 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** Whether this is an instant of RFC 3339 with an offset, on a real day; leap seconds are rejected. */
export function isInstant(value: unknown): value is string {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  return match !== null && isCalendarDay(match[1]);
}

/** In lower case, so that there are no more than IANA has names. A formatter takes 0.1 ms to make. */
const knownZones = new Set<string>();
const ZONE_NAME = /^(?:UTC|GMT|[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)+)$/;

/**
 * Whether this is the IANA name of a time zone, such as `Europe/Bucharest`. Neither an offset nor a short name: `IST` is
 * India to Node.js and Israel to PostgreSQL, and `CET` has daylight saving time only in one of them.
 */
export function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 64 || !ZONE_NAME.test(value)) return false;
  const name = value.toLowerCase();
  if (knownZones.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
  } catch {
    return false;
  }
  knownZones.add(name);
  return true;
}

/** The calendar day that many days later, or earlier if the count is negative. */
export function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** The number of days from one calendar day to another; negative if the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** The age in full years on a day; null before the birth. A birthday of 29 February is on 1 March in other years. */
export function ageOn(day: string, birthDate: string): number | null {
  if (day < birthDate) return null;
  const years = Number(day.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return day.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
