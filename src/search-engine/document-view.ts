import { plainText } from './plain-text.js';
import type { Schema } from './schema.js';

/** A document as it is stored. */
export interface IndexedDocument {
  readonly seq: number;
  readonly id: string;
  /** JSON. */
  readonly fields: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
  /** The vector as little-endian float32; null if there is none yet. */
  readonly vector: Uint8Array | null;
}

/** A document as customers see it at an instant. */
export interface DocumentView {
  readonly seq: number;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The length of the JSON of its fields. */
  readonly length: number;
  /** Expiry of the view, when a departure begins or can no longer be booked, in milliseconds or Infinity. */
  readonly expiresAt: number;
}

/** Returns null for a document that customers cannot find. */
export function viewOf(document: IndexedDocument, schema: Schema, now: number): DocumentView | null {
  const parsed: unknown = JSON.parse(document.fields);
  if (document.deleted || typeof parsed !== 'object' || parsed === null) return null;
  const stored = new Map<string, unknown>(Object.entries(parsed));
  if ((stored.get('status') ?? 'active') !== 'active') return null;

  if (!stored.get('createdAt')) stored.set('createdAt', new Date(document.createdAt).toISOString());
  if (!stored.get('updatedAt')) stored.set('updatedAt', new Date(document.updatedAt).toISOString());
  const { fields: departureFields, expiresAt } = summarizeDepartures(stored, now);
  for (const [name, value] of Object.entries(departureFields)) stored.set(name, value);
  const visible = [...stored].filter(([name, value]) => schema.get(name)?.visible === true && value !== null);
  const fields = Object.fromEntries(visible.map(([name, value]) => [name, withoutMarkup(value)]));
  const { seq, id } = document;
  return { seq, id, fields, length: document.fields.length, expiresAt };
}

function withoutMarkup(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  return Array.isArray(value) ? value.map(withoutMarkup) : value;
}

interface Departure {
  readonly startsAt: number;
  readonly endsAt: number | null;
  /** Null if it cannot be booked. */
  readonly bookableUntil: number | null;
  readonly availableUnits: number | null;
}

/** Returns the fields that summarize the departures of a document at an instant, and the expiry of that summary. */
function summarizeDepartures(
  stored: ReadonlyMap<string, unknown>,
  now: number,
): { fields: Record<string, unknown>; expiresAt: number } {
  const list = stored.get('departures');
  if (!Array.isArray(list)) return { fields: {}, expiresAt: Infinity };
  const upcoming = list.flatMap(parseDeparture).filter(({ startsAt }) => startsAt > now);
  upcoming.sort((a, b) => a.startsAt - b.startsAt);
  const zone = [stored.get('departureTimezone'), stored.get('timezone')].find((name) => typeof name === 'string');
  const day = (instant: number) => dayIn(String(zone ?? 'UTC'), instant);
  const [next] = upcoming;
  const days = [...new Set(upcoming.map(({ startsAt }) => day(startsAt)))];
  const isBookable = ({ bookableUntil }: Departure) => bookableUntil !== null && bookableUntil > now;
  const units = upcoming.flatMap((departure) => {
    const { availableUnits } = departure;
    return availableUnits === null ? [] : [isBookable(departure) ? availableUnits : 0];
  });
  const ends = upcoming.filter(isBookable).map(({ bookableUntil }) => bookableUntil ?? Infinity);
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
  return { fields, expiresAt: Math.min(next?.startsAt ?? Infinity, ...ends) };
}

function parseDeparture(item: unknown): Departure[] {
  if (typeof item !== 'object' || item === null) return [];
  const {
    startsAt,
    endsAt,
    bookableUntil = startsAt,
    availableUnits,
  } = Object.fromEntries<unknown>(Object.entries(item));
  if (typeof startsAt !== 'string') return [];
  return [
    {
      startsAt: Date.parse(startsAt),
      endsAt: typeof endsAt === 'string' ? Date.parse(endsAt) : null,
      bookableUntil: typeof bookableUntil === 'string' ? Date.parse(bookableUntil) : null,
      availableUnits: typeof availableUnits === 'number' ? availableUnits : null,
    },
  ];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar day of an instant in a time zone. Creating a format takes a hundred times as long as using it. */
function dayIn(zone: string, instant: number): string {
  let format = formats.get(zone);
  // The locale en-CA formats a date as YYYY-MM-DD.
  if (!format) formats.set(zone, (format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })));
  return format.format(instant);
}
