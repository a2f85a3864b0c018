import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { extensible } from '../../../platform/http/named-values.js';
import { type Field, parseSchema, type Schema } from '../../../search-engine/index.js';

export const VERTICALS = extensible('CatalogVertical', ['products', 'cruises', 'charters', 'accommodations']);
export type Vertical = (typeof VERTICALS)[number];

/**
 * The public fields of all verticals, in the format of `parseSchema`. Other fields are stored and returned to staff, but
 * never searched, filtered, counted or returned to customers.
 */
const COMMON_FIELDS = `
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

const OWN_FIELDS: Record<Vertical, string> = {
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

export const SCHEMAS: Readonly<Record<Vertical, Schema>> = {
  products: schemaOf('products'),
  cruises: schemaOf('cruises'),
  charters: schemaOf('charters'),
  accommodations: schemaOf('accommodations'),
};

/** Singular names that filters and facets accept for a plural field. */
const SINGULARS: Readonly<Record<string, string>> = {
  country: 'countries',
  region: 'regions',
  city: 'cities',
  port: 'ports',
  tag: 'tags',
  category: 'categories',
};

/**
 * Fields that the index derives from the departures of a document. Values that a client sends along with departures are
 * ignored.
 */
export const DERIVED_FIELDS = [
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

/** The client's name of the field. */
export function fieldName(requested: string): string {
  return (Object.hasOwn(SINGULARS, requested) ? SINGULARS[requested] : undefined) ?? requested;
}

function schemaOf(vertical: Vertical): Schema {
  return new Map([...parseSchema(`${COMMON_FIELDS};${OWN_FIELDS[vertical]}`), ['status', STATUS]]);
}

/** The error for an unknown vertical. Extras are searched only with their product. */
export function unknownVertical(vertical: string): AppError {
  const known = `one of ${VERTICALS.join(', ')}`;
  const isExtras = vertical === 'extras';
  const message = isExtras
    ? 'extras cannot be searched on their own; search their product'
    : `vertical must be ${known}`;
  const { details } = invalidField('vertical', message, 'unknown_value');
  const reason = { reason: 'not_independently_sellable', vertical: 'extras', ownedBy: 'products' };
  return new AppError(400, 'invalid_request', message, { details: { ...details, ...(isExtras ? reason : {}) } });
}
