import { pick, type Random, slugOf } from './pieces.js';
import type { Place } from './places.js';

const DAY_MS = 86_400_000;
const OFFERS = ['Early bird', 'Last minute', 'Spring sale', 'Long stay', 'Four for three'];

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

/** One in nine has no price; one in three has an offer, by which it costs less than it did. */
export function pricing(cents: number, random: Random): Record<string, unknown> {
  if (random(9) === 0) return { hasPricing: false, hasOffer: false };
  const plain = { hasPricing: true, priceFromCurrency: 'EUR' };
  if (random(3) > 0) return { ...plain, priceFromAmountCents: cents, hasOffer: false };
  const [percent, offer] = [5 * (1 + random(5)), pick(OFFERS, random)];
  return {
    ...plain,
    priceFromAmountCents: Math.round((cents * (100 - percent)) / 100),
    originalPriceFromAmountCents: cents,
    hasOffer: true,
    bestOfferId: `offer_${slugOf(offer)}`,
    bestOfferName: offer,
    bestOfferDiscountKind: 'percent',
    bestOfferDiscountPercent: percent,
    ...(random(3) === 0
      ? {
          hasConditionalOffer: true,
          conditionalOfferId: 'offer_group',
          conditionalOfferName: 'Group of six',
          conditionalOfferDiscountKind: 'percent',
          conditionalOfferDiscountPercent: 10,
          conditionalOfferMinPax: 6,
        }
      : {}),
  };
}

/** Two in three depart on dates of the coming months. */
export function departing(
  place: Place,
  { days, random, now }: { days: number; random: Random; now: Date },
): Record<string, unknown> {
  if (random(3) === 0) return { departureTimezone: place.zone };
  const first = 10 + random(50);
  const departures = Array.from({ length: 2 + random(4) }, (_, n) => {
    const starts = `${dayOf(now, first + n * (14 + random(15)))}T08:00:00.000Z`;
    const ends = new Date(Date.parse(starts) + days * DAY_MS).toISOString();
    return { startsAt: starts, endsAt: ends, availableUnits: random(25) };
  });
  return { departureTimezone: place.zone, departures };
}

export function published(index: number, now: Date): Record<string, unknown> {
  return { publishedAt: new Date(now.getTime() - (index % 365) * DAY_MS - index * 60_000).toISOString() };
}

export function dayOf(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}
