import { numberOf, textOf, textsOf } from './shown-document.js';

type Shown = Readonly<Record<string, unknown>>;

/** The small form that a storefront draws; every key is always there. */
export function cardOf(id: string, fields: Shown): Record<string, unknown> {
  const text = (name: string) => textOf(fields, name);
  const [primary, thumbnail, cover] = [text('primaryMediaUrl'), text('thumbnailUrl'), text('coverMediaUrl')];
  const [latitude, longitude] = [numberOf(fields, 'latitude'), numberOf(fields, 'longitude')];
  return {
    id,
    name: text('name'),
    slug: text('slug'),
    primaryCategory: categoryOf(fields),
    media: { thumbnailUrl: thumbnail ?? primary ?? cover, coverMediaUrl: cover ?? primary ?? thumbnail },
    priceFrom: priceOf(fields),
    offerBadges: badgesOf(fields),
    departures: {
      upcomingCount: numberOf(fields, 'upcomingDepartureCount'),
      nextDepartureAt: text('nextDepartureAt'),
      nextDepartureDate: text('nextDepartureDate'),
      nextDepartureEndsAt: text('nextDepartureEndsAt'),
      nextDepartureEndDate: text('nextDepartureEndDate'),
      timezone: text('departureTimezone') ?? text('timezone'),
      months: textsOf(fields, 'departureMonths'),
      dates: textsOf(fields, 'departureDates'),
    },
    destinations: {
      regions: textsOf(fields, 'regions'),
      countries: textsOf(fields, 'countries'),
      cities: textsOf(fields, 'cities'),
      ids: textsOf(fields, 'destinationIds'),
      slugs: textsOf(fields, 'destinationSlugs'),
    },
    coordinates: latitude === null || longitude === null ? null : { latitude, longitude },
  };
}

function categoryOf(fields: Shown): object | null {
  const [id, name, slug] = ['Id', 'Name', 'Slug'].map((part) => textOf(fields, `primaryCategory${part}`));
  return (id ?? name ?? slug) ? { id: id ?? null, name: name ?? null, slug: slug ?? null } : null;
}

function priceOf(fields: Shown): object | null {
  const amountCents = numberOf(fields, 'priceFromAmountCents');
  const currency = textOf(fields, 'priceFromCurrency');
  if (amountCents === null || currency === null) return null;
  return { amountCents, currency, originalAmountCents: numberOf(fields, 'originalPriceFromAmountCents') };
}

/** The best offer, then the conditional one; only that one has a `minPax`. */
function badgesOf(fields: Shown): object[] {
  const best = badgeOf(fields, 'bestOffer');
  const conditional = badgeOf(fields, 'conditionalOffer');
  const minPax = numberOf(fields, 'conditionalOfferMinPax');
  return [...(best ? [best] : []), ...(conditional ? [{ ...conditional, minPax }] : [])];
}

function badgeOf(fields: Shown, offer: 'bestOffer' | 'conditionalOffer'): object | null {
  const [id, name] = [textOf(fields, `${offer}Id`), textOf(fields, `${offer}Name`)];
  if (id === null && name === null) return null;
  return {
    id,
    name,
    discountKind: textOf(fields, `${offer}DiscountKind`),
    discountPercent: numberOf(fields, `${offer}DiscountPercent`),
    discountAmountCents: numberOf(fields, `${offer}DiscountAmountCents`),
  };
}
