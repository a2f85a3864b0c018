import { isDeepStrictEqual } from 'node:util';

/** The data of an event `departure.changed`. */
export interface DepartureChange {
  readonly productId: string;
  readonly departureId: string;
  readonly startsAt: string;
  readonly endsAt: string;
  /** Null means that the departure cannot be booked. */
  readonly bookableUntil: string | null;
  readonly status: string;
  readonly available: number;
}

/** Returns null if the payload is malformed. */
export function parseDepartureChange(payload: unknown): DepartureChange | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const data = new Map<string, unknown>(Object.entries(payload));
  const text = (name: string) => {
    const value = data.get(name);
    return typeof value === 'string' ? value : null;
  };
  const [productId, departureId, startsAt, endsAt] = ['productId', 'departureId', 'startsAt', 'endsAt'].map(text);
  const available = data.get('available');
  if (!productId || !departureId || !startsAt || !endsAt || typeof available !== 'number') return null;
  // Events of an earlier version have no end of sales.
  const bookableUntil = data.has('bookableUntil') ? text('bookableUntil') : startsAt;
  return { productId, departureId, startsAt, endsAt, bookableUntil, status: text('status') ?? '', available };
}

/**
 * Returns the departures of a document after a change; null if they stay the same. A departure without an id is identified by
 * its start.
 */
export function changedDepartures(given: unknown, change: DepartureChange): Record<string, unknown>[] | null {
  const before = Array.isArray(given) ? given.filter(isObject) : [];
  const { departureId, startsAt, endsAt, bookableUntil } = change;
  const isSame = (departure: Record<string, unknown>) =>
    departure['departureId'] === departureId ||
    (departure['departureId'] === undefined && Date.parse(String(departure['startsAt'])) === Date.parse(startsAt));
  const others = before.filter((departure) => !isSame(departure));
  const changed = shownDeparture({ departureId, startsAt, endsAt, bookableUntil, available: change.available });
  const after = change.status === 'cancelled' || change.status === 'called_off' ? others : [...others, changed];
  after.sort((a, b) => Date.parse(String(a['startsAt'])) - Date.parse(String(b['startsAt'])));
  return isDeepStrictEqual(before, after) ? null : after;
}

/** A departure in a document. */
export function shownDeparture({
  available,
  ...departure
}: Omit<DepartureChange, 'productId' | 'status'>): Record<string, unknown> {
  return { ...departure, availableUnits: Math.max(0, available) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
