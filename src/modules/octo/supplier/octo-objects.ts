/** The objects of the standard, as far as the supplier sends them. */

export type DeliveryMethod = 'VOUCHER';

/** Amounts in minor units of the currency. */
export interface OctoPricing {
  original: number;
  retail: number;
  net: number | null;
  currency: string;
  currencyPrecision: number;
  includedTaxes: readonly { name: string; original: number; retail: number; net: number | null }[];
}

export interface OctoUnit {
  id: string;
  internalName: string;
  reference: string | null;
  type: string;
  requiredContactFields: string[];
  restrictions: {
    minAge: number;
    maxAge: number;
    idRequired: boolean;
    minQuantity: number | null;
    maxQuantity: number | null;
    paxCount: number;
    accompaniedBy: string[];
  };
  pricingFrom?: OctoPricing[];
  title?: string;
  features?: [];
}

export interface OctoMedia {
  src: string;
  type: string;
  rel: 'COVER' | 'GALLERY';
  title: string | null;
  caption: string | null;
  copyright: string | null;
}

export interface OctoLocation {
  title: string | null;
  shortDescription: string | null;
  types: 'START'[];
  minutesTo: number | null;
  minutesAt: number | null;
  place: {
    latitude: number;
    longitude: number;
    postalAddress: Record<string, string | null>;
    identifiers: Record<string, string | null>;
    sameAs: string[];
  };
}

/** What customers read of a product or an option, in one language. */
export interface OctoContent {
  title: string;
  shortDescription: string | null;
  description: string | null;
  features: [];
  faqs: [];
  media: OctoMedia[];
  locations: OctoLocation[];
  categoryLabels: string[];
  durationMinutesFrom?: number;
  durationMinutesTo: null;
  commentary: [];
}

export interface OctoOption extends Partial<OctoContent> {
  id: string;
  default: boolean;
  internalName: string;
  reference: string | null;
  availabilityLocalStartTimes: string[];
  cancellationCutoff: string;
  cancellationCutoffAmount: number;
  cancellationCutoffUnit: 'day';
  requiredContactFields: string[];
  restrictions: { minUnits: number; maxUnits: number | null };
  units: OctoUnit[];
}

export interface OctoProduct extends Partial<OctoContent> {
  id: string;
  internalName: string;
  reference: string | null;
  locale: string;
  timeZone: string;
  allowFreesale: false;
  instantConfirmation: true;
  instantDelivery: boolean;
  availabilityRequired: true;
  availabilityType: 'START_TIME';
  deliveryFormats: 'QRCODE'[];
  deliveryMethods: DeliveryMethod[];
  redemptionMethod: 'DIGITAL' | 'MANIFEST';
  options: OctoOption[];
  defaultCurrency?: string;
  availableCurrencies?: string[];
  pricingPer?: 'UNIT';
}

export type AvailabilityStatus = 'AVAILABLE' | 'LIMITED' | 'SOLD_OUT' | 'CLOSED';

export interface OctoAvailability {
  id: string;
  localDateTimeStart: string;
  localDateTimeEnd: string;
  utcCutoffAt: string;
  allDay: false;
  available: boolean;
  status: AvailabilityStatus;
  vacancies: number;
  capacity: number;
  maxUnits: number | null;
  openingHours: [];
  unitPricing?: (OctoPricing & { unitId: string })[];
  pricing?: OctoPricing;
}

export interface OctoDay {
  localDate: string;
  available: boolean;
  status: AvailabilityStatus;
  vacancies: number;
  capacity: number;
  openingHours: [];
  unitPricingFrom?: (OctoPricing & { unitId: string })[];
}
