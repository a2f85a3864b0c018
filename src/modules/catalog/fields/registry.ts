import { named } from '../../../platform/http/named-values.js';
import { type Field, parseSchema, type Schema } from '../../../search-engine/index.js';

export const VERTICALS = named('CatalogVertical', ['products', 'cruises', 'charters', 'accommodations']);
export type Vertical = (typeof VERTICALS)[number];

/**
 * What customers may see and ask for, by vertical: `name: type [F|C] [xN]`. F is filterable, C filterable and facetable.
 * Whatever is not listed is stored and shown to staff, and never searched, filtered, counted or shown to customers.
 */
const ALL = `
  name: text x3; shortDescription: text x1.5; description: text x1; slug: text F;
  tags: texts C x2; tagLabels: texts C x2; tagIds: texts C;
  createdAt: moment F; updatedAt: moment F; publishedAt: moment F;
  primaryMediaUrl: text; thumbnailUrl: text; coverMediaUrl: text;
  latitude: number; longitude: number; timezone: text;
  primaryCategoryId: text C; primaryCategoryName: text C x1; primaryCategorySlug: text C;
  categories: texts C x1; categoryIds: texts C; categorySlugs: texts C;
  regions: texts C x2; countries: texts C x2; cities: texts C x2; ports: texts C x2;
  countryCodes: texts C; destinationIds: texts C; destinationSlugs: texts C;
  priceFromAmountCents: integer C; priceFromCurrency: text C; originalPriceFromAmountCents: integer F;
  sellAmountCents: integer F; sellCurrency: text F; hasPricing: boolean C;
  hasOffer: boolean C; bestOfferId: text; bestOfferName: text; bestOfferDiscountKind: text;
  bestOfferDiscountPercent: number F; bestOfferDiscountAmountCents: integer;
  hasConditionalOffer: boolean C; conditionalOfferId: text; conditionalOfferName: text; conditionalOfferDiscountKind: text;
  conditionalOfferDiscountPercent: number F; conditionalOfferDiscountAmountCents: integer; conditionalOfferMinPax: integer;
  nextDepartureAt: instant F; nextDepartureDate: day F; nextDepartureEndsAt: instant; nextDepartureEndDate: day;
  departureTimezone: text; hasUpcomingDeparture: boolean C; upcomingDepartureCount: integer F;
  departureDates: days C; departureMonths: texts C; availableUnitsTotal: integer F;
  supplyModel: text C; sourceKind: text C`;

const OWN: Record<Vertical, string> = {
  products: `
    waterways: texts C x1; bookingMode: text C; board: text C; stars: number C; transport: text C;
    durationDays: integer C; durationMinutes: integer F; pax: integer F; familyCode: text C; subtypeCode: text C;
    startDate: day F; endDate: day F`,
  accommodations: `
    propertyId: text F; roomClass: text C x1; board: text C; stars: number C;
    maxAdults: integer F; maxChildren: integer F; maxInfants: integer F; maxOccupancy: integer C; minOccupancy: integer F;
    standardOccupancy: integer F; bedroomCount: integer C; bathroomCount: number C; areaValue: number F; areaUnit: text F;
    smokingAllowed: boolean C; accessibilityNotes: text x1`,
  cruises: `
    lineName: text C x1; shipName: text C x1; embarkationPort: text C x1; waterways: texts C x1; nights: integer C;
    sailingMonths: texts C; lowestCabinPriceCents: integer F`,
  charters: `
    yachtName: text x2; themes: texts C x1; bookingModes: texts C; lowestPriceCents: integer C;
    earliestVoyageDate: day F; latestVoyageDate: day F`,
};

const STATUS: Field = { type: 'text', weight: 0, filterable: false, facetable: false, visible: false };

export const REGISTRY: Readonly<Record<Vertical, Schema>> = {
  products: schemaOf('products'),
  cruises: schemaOf('cruises'),
  charters: schemaOf('charters'),
  accommodations: schemaOf('accommodations'),
};

/** The singular stands for the plural field, in filters and facets. */
const SINGULARS: Readonly<Record<string, string>> = {
  country: 'countries',
  region: 'regions',
  city: 'cities',
  port: 'ports',
  tag: 'tags',
  category: 'categories',
};

/** What the departures of a document say; where they are given, a value sent for one of these is ignored. */
export const DERIVED = [
  'nextDepartureAt',
  'nextDepartureDate',
  'nextDepartureEndsAt',
  'nextDepartureEndDate',
  'hasUpcomingDeparture',
  'upcomingDepartureCount',
  'departureDates',
  'departureMonths',
  'availableUnitsTotal',
] as const;

export function isVertical(value: unknown): value is Vertical {
  return VERTICALS.some((vertical) => vertical === value);
}

/** The field's own name, whichever way it was asked for. */
export function fieldName(asked: string): string {
  return (Object.hasOwn(SINGULARS, asked) ? SINGULARS[asked] : undefined) ?? asked;
}

function schemaOf(vertical: Vertical): Schema {
  return new Map([...parseSchema(`${ALL};${OWN[vertical]}`), ['status', STATUS]]);
}
