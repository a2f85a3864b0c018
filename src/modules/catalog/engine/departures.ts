interface Departure {
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly availableUnits: number | null;
}

/** What a document's departures say of it at an instant, and until when; without departures nothing, for ever. */
export function departuresOf(
  given: ReadonlyMap<string, unknown>,
  now: number,
): { fields: Record<string, unknown>; until: number } {
  const list = given.get('departures');
  if (!Array.isArray(list)) return { fields: {}, until: Infinity };
  const upcoming = list.flatMap(departureOf).filter(({ startsAt }) => startsAt > now);
  upcoming.sort((a, b) => a.startsAt - b.startsAt);
  const zone = [given.get('departureTimezone'), given.get('timezone')].find((name) => typeof name === 'string');
  const day = (instant: number) => dayIn(String(zone ?? 'UTC'), instant);
  const [next] = upcoming;
  const days = [...new Set(upcoming.map(({ startsAt }) => day(startsAt)))];
  const units = upcoming.flatMap(({ availableUnits }) => (availableUnits === null ? [] : [availableUnits]));
  const fields = {
    nextDepartureAt: next ? new Date(next.startsAt).toISOString() : null,
    nextDepartureDate: next ? day(next.startsAt) : null,
    nextDepartureEndsAt: next?.endsAt ? new Date(next.endsAt).toISOString() : null,
    nextDepartureEndDate: next?.endsAt ? day(next.endsAt) : null,
    hasUpcomingDeparture: next !== undefined,
    upcomingDepartureCount: upcoming.length,
    departureDates: days,
    departureMonths: [...new Set(days.map((date) => date.slice(0, 7)))],
    availableUnitsTotal: units.length > 0 ? units.reduce((sum, count) => sum + count, 0) : null,
  };
  return { fields, until: next ? next.startsAt : Infinity };
}

function departureOf(item: unknown): Departure[] {
  if (typeof item !== 'object' || item === null) return [];
  const { startsAt, endsAt, availableUnits } = Object.fromEntries<unknown>(Object.entries(item));
  if (typeof startsAt !== 'string') return [];
  return [
    {
      startsAt: Date.parse(startsAt),
      endsAt: typeof endsAt === 'string' ? Date.parse(endsAt) : null,
      availableUnits: typeof availableUnits === 'number' ? availableUnits : null,
    },
  ];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of an instant in a time zone. Making a format takes a hundred times as long as using it. */
function dayIn(zone: string, instant: number): string {
  let format = formats.get(zone);
  // en-CA writes a date as YYYY-MM-DD.
  if (!format) formats.set(zone, (format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })));
  return format.format(instant);
}
