type Fields = Readonly<Record<string, unknown>>;

/** The short form of a document for a list of results. Every key is always present. */
export function cardOf(id: string, fields: Fields): Record<string, unknown> {
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

function categoryOf(fields: Fields): object | null {
  const [id, name, slug] = ['Id', 'Name', 'Slug'].map((part) => textOf(fields, `primaryCategory${part}`));
  return (id ?? name ?? slug) ? { id: id ?? null, name: name ?? null, slug: slug ?? null } : null;
}

function priceOf(fields: Fields): object | null {
  const amountCents = numberOf(fields, 'priceFromAmountCents');
  const currency = textOf(fields, 'priceFromCurrency');
  if (amountCents === null || currency === null) return null;
  return { amountCents, currency, originalAmountCents: numberOf(fields, 'originalPriceFromAmountCents') };
}

/** Prefers the best offer, then the conditional one; only the latter has a `minPax`. */
function badgesOf(fields: Fields): object[] {
  const best = badgeOf(fields, 'bestOffer');
  const conditional = badgeOf(fields, 'conditionalOffer');
  const minPax = numberOf(fields, 'conditionalOfferMinPax');
  return [...(best ? [best] : []), ...(conditional ? [{ ...conditional, minPax }] : [])];
}

function badgeOf(fields: Fields, offer: 'bestOffer' | 'conditionalOffer'): object | null {
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

function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

function numberOf(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? value : null;
}

function textsOf(fields: Fields, name: string): string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
