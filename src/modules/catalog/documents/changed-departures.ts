import { isDeepStrictEqual } from 'node:util';

/** What an event `departure.changed` tells. */
export interface DepartureNews {
  readonly productId: string;
  readonly departureId: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: string;
  readonly available: number;
}

/** Null for what tells something else. */
export function readDepartureNews(payload: unknown): DepartureNews | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const told = new Map<string, unknown>(Object.entries(payload));
  const text = (name: string) => {
    const value = told.get(name);
    return typeof value === 'string' ? value : null;
  };
  const [productId, departureId, startsAt, endsAt] = ['productId', 'departureId', 'startsAt', 'endsAt'].map(text);
  const available = told.get('available');
  if (!productId || !departureId || !startsAt || !endsAt || typeof available !== 'number') return null;
  return { productId, departureId, startsAt, endsAt, status: text('status') ?? '', available };
}

/**
 * The departures of a document after the news; null where they are what they were. A departure that has no id yet is taken for
 * the one that starts at the same instant.
 */
export function changedDepartures(given: unknown, news: DepartureNews): Record<string, unknown>[] | null {
  const before = Array.isArray(given) ? given.filter(isObject) : [];
  const { departureId, startsAt, endsAt } = news;
  const isMeant = (departure: Record<string, unknown>) =>
    departure['departureId'] === departureId ||
    (departure['departureId'] === undefined && Date.parse(String(departure['startsAt'])) === Date.parse(startsAt));
  const others = before.filter((departure) => !isMeant(departure));
  const told = { departureId, startsAt, endsAt, availableUnits: Math.max(0, news.available) };
  const after = news.status === 'cancelled' ? others : [...others, told];
  after.sort((a, b) => Date.parse(String(a['startsAt'])) - Date.parse(String(b['startsAt'])));
  return isDeepStrictEqual(before, after) ? null : after;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
