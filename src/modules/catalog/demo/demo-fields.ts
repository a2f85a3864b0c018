import { instantOf } from '../../../platform/time/local-time.js';
import type { Vertical } from '../slices/verticals.js';
import type { Place } from './demo-places.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Local time at which departures start. */
const START_HOUR = 9;

/** A departure as the catalog shows it. */
export interface AdvertisedDeparture {
  departureId: string;
  startsAt: string;
  endsAt: string;
  /** Equals the start unless given. */
  bookableUntil?: string;
  availableUnits: number;
}

export type DraftFields = Record<string, unknown> & { departures?: readonly AdvertisedDeparture[] };

/** A document without its language and market. */
export interface Draft {
  readonly vertical: Vertical;
  readonly id: string;
  readonly fields: DraftFields;
}

export function whereabouts(place: Place): Record<string, unknown> {
  const { city, region, country, code, zone, at: position } = place;
  const ids = [country, region, city].map(slugOf);
  return {
    cities: [city],
    regions: [region],
    countries: [country],
    countryCodes: [code],
    destinationIds: ids.map((id) => `dest_${id}`),
    destinationSlugs: ids,
    latitude: position[0],
    longitude: position[1],
    timezone: zone,
    thumbnailUrl: `https://media.example.com/${slugOf(city)}-small.jpg`,
    coverMediaUrl: `https://media.example.com/${slugOf(city)}.jpg`,
  };
}

/** A price without an offer. */
export function priced(cents: number): Record<string, unknown> {
  return { hasPricing: true, priceFromCurrency: 'EUR', priceFromAmountCents: cents, hasOffer: false };
}

export function published(index: number, now: Date): Record<string, unknown> {
  return { publishedAt: new Date(now.getTime() - (index % 365) * DAY_MS - index * 60_000).toISOString() };
}

/** Returns the start of a departure N days from now, in the morning of its time zone. */
export function morningIn(zone: string, now: Date, days: number): Date {
  return instantOf(Date.parse(dayOf(now, days)) + START_HOUR * HOUR_MS, zone);
}

export function dayOf(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

export function slugOf(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
