const DAY_MS = 86_400_000;
const LAST_DAY = dayNumber('2199-12-31');

/** Converts a calendar day `YYYY-MM-DD` to a number of days, so that days can be added and compared. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

/** Converts a number of days to a calendar day, at most the last day that can be stored. */
export function dayOf(number: number): string {
  return new Date(Math.min(number, LAST_DAY) * DAY_MS).toISOString().slice(0, 10);
}
