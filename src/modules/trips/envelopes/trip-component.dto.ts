import { OmitType } from '@nestjs/swagger';
import { dataOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  ListOf,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  COMPONENT_KINDS,
  COMPONENT_STATUSES,
  type ComponentKind,
  type ComponentStatus,
  REPLACEMENT_KINDS,
  type ReplacementKind,
  type TripComponent,
} from './trip-component.entity.js';

const MAX_UNITS = 50;
/** Units, and the extras that a product can have. */
const MAX_LINES = 100;

/** A unit of the departure's product, and how many of it. */
export class ComponentUnitBody {
  /** Unit of the product (prefix `punt`); named at most once. */
  @Id('punt')
  unitId: string;

  /**
   * Number of units.
   * @example 2
   */
  @Whole({ min: 1, max: 100_000 })
  quantity: number;
}

/** Longest product reference of any provider. */
const MAX_REF = 200;

/** A new component of a trip. Which members are required or rejected depends on `kind`. */
export class CreateComponent {
  /**
   * `catalog_booking`: units of a departure; `external_order`: a service of an external provider;
   * `manual_placeholder`: arranged by staff.
   * @example "catalog_booking"
   */
  @OneOf(COMPONENT_KINDS)
  kind: ComponentKind;

  /**
   * Text for the customer; the title of the booking item.
   * @example "Danube delta by boat"
   */
  @Text({ max: 255 })
  title: string;

  /**
   * Number of units; 1 by default. With `units` it is their number, and no other value is accepted.
   * @example 2
   */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /**
   * Departure to sell (prefix `dep`). Required for `catalog_booking`, rejected for other kinds.
   * @example "dep_01k0dem000e000000000000001"
   */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** Option of the product (prefix `popt`); the default option without one. Only with `units`. */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /**
   * Units of the departure's product, which are priced and sold like those of a booking. Only for `catalog_booking`. Without them
   * `quantity` is sold at the price of the departure.
   */
  @Optional()
  @ListOf(() => ComponentUnitBody, { max: MAX_UNITS })
  units?: ComponentUnitBody[];

  /** Identifier of the service at its provider. Required for `external_order`, rejected for other kinds. */
  @Optional()
  @Text({ max: MAX_REF })
  providerRef?: string;

  /**
   * Price of one unit with tax, in minor units of the trip currency. Only for `manual_placeholder`, which cannot be
   * priced without it.
   */
  @Optional()
  @Cents()
  unitPriceCents?: number;

  /** Tax included in `unitPriceCents`, in minor units; 0 by default. Only for a `manual_placeholder` with a price. */
  @Optional()
  @Cents()
  unitTaxIncludedCents?: number;

  /**
   * Tax code of the booking item (prefix `taxc`); the tax code of the departure by default. With null the tax of the price
   * applies. Not with `units`, which have tax codes of their own.
   */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  /**
   * Whether staff have arranged the service; false by default. Only for `manual_placeholder`, which cannot be
   * reserved without it.
   */
  @Optional()
  @Flag()
  confirmedByStaff?: boolean;

  /** Local date of delivery. Only for `manual_placeholder`; for other kinds the provider determines it. */
  @Optional()
  @IsoDate()
  serviceDate?: string;
}

/** The fields of a component to change. `kind` is fixed: add another component for another kind. */
export class UpdateComponent extends patchOf(OmitType(CreateComponent, ['kind', 'serviceDate'] as const)) {
  /** Local date of delivery of a `manual_placeholder`; null clears it. */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;
}

/**
 * The component that replaces a booked one. Units of a departure are sold as an item of the booking instead. It has the tax
 * code of the replaced component.
 */
export class ReplaceComponent extends OmitType(CreateComponent, [
  'kind',
  'departureId',
  'optionId',
  'units',
  'taxCodeId',
] as const) {
  /**
   * `external_order`: a service of an external provider; `manual_placeholder`: arranged by staff.
   * @example "manual_placeholder"
   */
  @OneOf(REPLACEMENT_KINDS)
  kind: ReplacementKind;
}

/** A unit of a component, and how many of it. */
export class ComponentUnitResponse {
  /** Unit of the product (prefix `punt`). */
  @Id('punt')
  unitId: string;

  /** Number of units. */
  @Whole({ min: 1, max: 100_000 })
  quantity: number;
}

/** A unit or a required extra of a priced component. It becomes an item of the booking. */
export class ComponentLineResponse {
  /** Unit of the product (prefix `punt`); null for an extra. */
  @Id('punt')
  unitId: string | null;

  /** Extra of the product (prefix `pxtr`); null for a unit. */
  @Id('pxtr')
  extraId: string | null;

  /** Name of the unit or the extra. */
  @Text({ max: 255 })
  name: string;

  /** Number of the unit or the extra. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  quantity: number;

  /** Price of one with tax, in minor units of the trip currency. */
  @Cents()
  unitSellCents: number;

  /** Tax included in the price of the whole quantity. */
  @Cents()
  taxIncludedCents: number;

  /** Tax code (prefix `taxc`); null without one. */
  @Id('taxc')
  taxCodeId: string | null;
}

/** One component of a trip. Amounts are in minor units of `currency`. */
export class TripComponentResponse {
  /** ID of the component, a TypeID with the prefix `tcmp`. */
  @Id('tcmp')
  componentId: string;

  /** Order within the trip; positions of removed components are not reused. */
  @Whole({ min: 0, max: 2_147_483_647 })
  position: number;

  /**
   * `catalog_booking`: units of a departure; `external_order`: a service of an external provider;
   * `manual_placeholder`: arranged by staff.
   */
  @OneOf(COMPONENT_KINDS)
  kind: ComponentKind;

  /** Text for the customer; the title of the booking item. */
  @Text({ max: 255 })
  title: string;

  /** Number of units to sell. */
  @Whole({ min: 1, max: 1_000_000 })
  quantity: number;

  /** Progress from pricing through hold to booking; set by the server. */
  @OneOf(COMPONENT_STATUSES)
  status: ComponentStatus;

  /** Departure to sell (prefix `dep`); null unless the kind is `catalog_booking`. */
  @Id('dep')
  departureId: string | null;

  /** Option of the product (prefix `popt`); null without units, and for the default option. */
  @Id('popt')
  optionId: string | null;

  /** Units to sell; empty if `quantity` is sold at the price of the departure. */
  @ListOf(() => ComponentUnitResponse, { max: MAX_UNITS })
  units: ComponentUnitResponse[];

  /** The units with their required extras and prices; empty until it is priced, and without units. */
  @ListOf(() => ComponentLineResponse, { max: MAX_LINES })
  lines: ComponentLineResponse[];

  /** Identifier of the service at its provider; null unless the kind is `external_order`. */
  @Text({ max: 200 })
  providerRef: string | null;

  /** Price of one unit with tax as set by staff; null unless the kind is `manual_placeholder`. */
  @Cents()
  unitPriceCents: number | null;

  /** Tax included in `unitPriceCents`; null if there is no such price. */
  @Cents()
  unitTaxIncludedCents: number | null;

  /** True if staff have arranged a `manual_placeholder`. */
  @Flag()
  confirmedByStaff: boolean;

  /** Local date of delivery; null until known. */
  @IsoDate()
  serviceDate: string | null;

  /** Currency of the trip, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Price of the whole quantity without tax; null until it is priced. */
  @Cents()
  subtotalCents: number | null;

  /** Tax of the whole quantity; null until it is priced. */
  @Cents()
  taxCents: number | null;

  /** Tax code of the booking item (prefix `taxc`); with null the tax of the price applies. */
  @Id('taxc')
  taxCodeId: string | null;

  /** `subtotalCents` + `taxCents`; null until it is priced. */
  @Cents()
  totalCents: number | null;

  /** When the price expires; null until it is priced. */
  @Instant()
  priceExpiresAt: string | null;

  /** When the hold of the component expires; null while it is not held. */
  @Instant()
  holdExpiresAt: string | null;

  /** Booking item that the component became (prefix `bkit`); null until the trip is booked, and after a replacement. */
  @Id('bkit')
  bookingItemId: string | null;

  /** All of its booking items (prefix `bkit`), in the order of `lines`; one without units. */
  @Texts({ max: MAX_LINES, maxLength: 100 })
  bookingItemIds: string[];

  /** Amount that the provider charged for cancelling its order, in minor units; null unless it was cancelled. */
  @Cents()
  cancellationFeeCents: number | null;

  /** Reasons why the component is unavailable; empty if it is available. */
  @Texts({ max: 10, maxLength: 500 })
  warnings: string[];

  /** Increases with every change of the component. It is the ETag of the component's own operations. */
  @Version()
  version: number;
}

export function toComponent(component: TripComponent): TripComponentResponse {
  return respond(TripComponentResponse, component, {
    componentId: component.id,
    bookingItemIds: component.itemIds(),
    units: component.units.map((unit) => respond(ComponentUnitResponse, unit)),
    lines: component.lines.map((line) => respond(ComponentLineResponse, line)),
  });
}

export class TripComponentEnvelope extends dataOf(TripComponentResponse) {}
