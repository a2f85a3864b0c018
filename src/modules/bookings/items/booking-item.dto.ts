import { OmitType } from '@nestjs/swagger';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { TAX_KINDS, type TaxKind } from '../../taxes/index.js';
import {
  type BookingItem,
  ITEM_PRICE_SOURCES,
  ITEM_STATUSES,
  ITEM_TYPES,
  type ItemPriceSource,
  type ItemStatus,
  type ItemType,
  PRICING_TREATMENTS,
  type PricingTreatment,
  SUPPLIER_STATUSES,
  type SupplierStatus,
} from './booking-item.entity.js';
import { ITEM_OVERRIDES, type ItemOverride } from './sales-override.js';

const MIN_CENTS = Number.MIN_SAFE_INTEGER;
const OVERRIDE_RULE = {
  pattern: patternOf(ITEM_OVERRIDES),
  otherwise: `must be one of ${ITEM_OVERRIDES.join(', ')}`,
  maxLength: 20,
};

/** A new item of a booking. Its total is `quantity` * `unitSellCents`. */
export class CreateBookingItem {
  @Ignored()
  id?: undefined;

  /**
   * Kind of service. A `discount` needs a price of at most 0, an `adjustment` takes any sign, all other types need at
   * least 0.
   * @example "unit"
   */
  @OneOf(ITEM_TYPES)
  type: ItemType;

  /**
   * Text for the customer; the description of the invoice line.
   * @example "City tour of 12 May, 09:00"
   */
  @Text({ max: 255 })
  title: string;

  /**
   * Only `confirmed`, which is also the default.
   * @example "confirmed"
   */
  @Optional()
  @OneOf(ITEM_STATUSES)
  status?: ItemStatus;

  /**
   * Number of units sold; 1 by default. With a departure, also the number of departure units to take.
   * @example 2
   */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /**
   * Price of one unit with tax, in minor units of the booking currency. At most 0 for a `discount`, any sign for an
   * `adjustment`, at least 0 otherwise.
   * @example 5900
   */
  @Cents({ min: MIN_CENTS })
  unitSellCents: number;

  /**
   * Tax included in the price of the whole quantity, in minor units; between 0 and that price, 0 by default. With a tax
   * code it is computed; if sent, it must equal the computed tax. Without one, a new quantity or price changes it in
   * proportion unless it is sent.
   * @example 1884
   */
  @Optional()
  @Cents({ min: MIN_CENTS })
  taxIncludedCents?: number;

  /**
   * Tax code (prefix `taxc`) whose rate on the service date, or today without one, determines the tax. Null: the tax is sent as
   * an amount. If omitted for a new item, the tax code of the departure applies, unless `taxIncludedCents` is sent.
   */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  /** True by default. False: the price is kept in full if the booking is cancelled. */
  @Optional()
  @Flag()
  refundable?: boolean;

  /**
   * Amount owed to the supplier for the whole quantity, in minor units of `costCurrency`. Send both or neither.
   * @example 7000
   */
  @Clearable()
  @Cents()
  costCents?: number | null;

  /**
   * ISO 4217 code for `costCents`; may differ from the booking currency.
   * @example "EUR"
   */
  @Clearable()
  @CurrencyCode()
  costCurrency?: string | null;

  /**
   * `standard` by default. `pass_through` items are sold at cost for a third party and earn no commission.
   * @example "standard"
   */
  @Optional()
  @OneOf(PRICING_TREATMENTS)
  pricingTreatment?: PricingTreatment;

  /**
   * Local date of delivery. With a departure it is always the departure's start date, even after the departure moves.
   * @example "2027-05-12"
   */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;

  /**
   * Departure of which the item takes `quantity` units (prefix `dep`); it must not be cancelled.
   * @example "dep_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('dep')
  departureId?: string | null;

  /**
   * Allotment whose slot on the departure supplies the units (prefix `alot`); needs `departureId`. From the pool by
   * default.
   */
  @Clearable()
  @Id('alot')
  allotmentId?: string | null;

  /**
   * Facility (prefix `fac`) at which the people are picked up; must not be archived, and needs `departureId`. The departure says at
   * which time, in its `pickups`; at another facility the time is open.
   * @example "fac_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('fac')
  pickupFacilityId?: string | null;

  /**
   * What the driver needs to know about the pickup; needs `departureId`.
   * @example "At the back entrance, room 12"
   */
  @Clearable()
  @Text({ max: 500 })
  pickupNote?: string | null;

  /**
   * What the item may deviate from: units are sold after the cut-off (`cutoff`) or after the start (`past`), at another price
   * than that of the product (`price`), or on a departure in another currency (`currency`). Needs `overrideReason` and the scope
   * `bookings:override`. The capacity is never exceeded.
   */
  @Optional()
  @Texts({ ...OVERRIDE_RULE, max: ITEM_OVERRIDES.length, unique: true })
  override?: ItemOverride[];

  /** Reason for using `override`; stored with the action ledger entry. */
  @Optional()
  @Text({ max: 2000, multiline: true })
  overrideReason?: string;
}

/** The fields to change. `status` is changed by cancellation and by completion of the booking, not here. */
export class UpdateBookingItem extends patchOf(OmitType(CreateBookingItem, ['id', 'status'] as const)) {}

/** Reason and fee of the cancellation of an item. The body may be omitted. */
export class CancelBookingItem {
  /**
   * Stored with the item and the action ledger entry.
   * @example "One traveller less"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;

  /**
   * If true, an item of type `fee` is added for the amount that the cancellation terms of the booking charge for this item
   * today. False by default.
   * @example false
   */
  @Optional()
  @Flag()
  applyTerms?: boolean;
}

/** Reason for reversing the cancellation of an item. */
export class ReinstateBookingItem {
  /**
   * Stored with the action ledger entry.
   * @example "Cancelled by mistake"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListBookingItems extends PageQuery {
  /** Only items in one of these statuses. */
  @Optional()
  @AnyOf(ITEM_STATUSES)
  status?: ItemStatus[];

  /** Sort field, `createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** A sold service of a booking: a seat on a tour, a night, a fee, a discount. */
export class BookingItemResponse {
  @Id('bkit')
  id: string;

  @Id('book')
  bookingId: string;

  /** Kind of service. It determines the allowed sign of the price. */
  @OneOf(ITEM_TYPES)
  type: ItemType;

  /** Text for the customer; the description of the invoice line. */
  @Text({ max: 255 })
  title: string;

  /** `fulfilled` is set by the server when the booking is completed. */
  @OneOf(ITEM_STATUSES)
  status: ItemStatus;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Number of units sold; with a departure, each takes `seatsPerUnit` of its units. */
  @Whole({ min: 1, max: 1_000_000 })
  quantity: number;

  /** Price of one unit with tax, in minor units; negative for a discount. */
  @Cents({ min: MIN_CENTS })
  unitSellCents: number;

  /** `quantity` * `unitSellCents`, in minor units. */
  @Cents({ min: MIN_CENTS })
  totalSellCents: number;

  /** Tax included in `totalSellCents`, in minor units, between 0 and the total. */
  @Cents({ min: MIN_CENTS })
  taxIncludedCents: number;

  /** Tax code (prefix `taxc`); null: the tax was sent as an amount. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Text of the tax code; null without one. */
  @Text({ max: 20 })
  taxCode: string | null;

  /** Tax treatment from the tax code; null without a tax code. */
  @OneOf(TAX_KINDS)
  taxKind: TaxKind | null;

  /** Tax rate in basis points, copied from the tax code for the service date; null without a tax code. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /**
   * True if the tax code has a different rate on the service date, because the rate was added after the sale or the date moved
   * after documents with the copied rate were issued. Recalculating the taxes of the booking clears the mark.
   */
  @Flag()
  taxRateChanged: boolean;

  /** Portion of `totalSellCents` that documents bill at other rates, from before the rate changed; it keeps its tax. 0 without one. */
  @Cents({ min: MIN_CENTS })
  earlierRateCents: number;

  /** Tax of `earlierRateCents`, included in `taxIncludedCents`. */
  @Cents({ min: MIN_CENTS })
  earlierRateTaxCents: number;

  /** If false, the organization keeps the full price when the booking is cancelled. */
  @Flag()
  refundable: boolean;

  /** Amount owed to the supplier for the whole quantity, in minor units of `costCurrency`; null if unknown. */
  @Cents()
  costCents: number | null;

  /** ISO 4217 code for `costCents`; null exactly when `costCents` is null. */
  @CurrencyCode()
  costCurrency: string | null;

  /** `pass_through` items are sold at cost for a third party and earn no commission. */
  @OneOf(PRICING_TREATMENTS)
  pricingTreatment: PricingTreatment;

  /** Local date of delivery; with a departure, its start date. Null if open. */
  @IsoDate()
  serviceDate: string | null;

  /** Departure whose units the item takes (prefix `dep`); null if none. */
  @Id('dep')
  departureId: string | null;

  /** Product of the departure, which may lack a record; null without a departure, and for items of earlier releases. */
  @Text({ max: 128 })
  productId: string | null;

  /** Option of the product (prefix `popt`); null for an item that is not sold by units, and for a product without options. */
  @Id('popt')
  optionId: string | null;

  /** Unit of the product (prefix `punt`); null for an item that is not sold by units. */
  @Id('punt')
  unitId: string | null;

  /** Extra of the product (prefix `pxtr`); null for an item that sells none. */
  @Id('pxtr')
  extraId: string | null;

  /** Capacity of the departure that one of the quantity takes. */
  @Whole({ min: 0, max: 50 })
  seatsPerUnit: number;

  /** People that one of the quantity stands for. */
  @Whole({ min: 0, max: 50 })
  peoplePerUnit: number;

  /**
   * `list`: the price is that of a price list; `departure`: that of the departure; `extra`: that of the extra; `manual`: a typed price; the product has no
   * price, or another one.
   */
  @OneOf(ITEM_PRICE_SOURCES)
  priceSource: ItemPriceSource;

  /** Unit price in the price list, otherwise of the departure, when the item was sold, in minor units; null without either. */
  @Cents()
  listUnitSellCents: number | null;

  /** Price list with that price (prefix `plst`); null if it was the departure's, and without one. */
  @Id('plst')
  priceListId: string | null;

  /** Version of the price list when the item was sold; null without one. */
  @Whole({ min: 1, max: 2_147_483_647 })
  priceListVersion: number | null;

  /** Allotment through which the units are taken (prefix `alot`); null if they come from the pool. */
  @Id('alot')
  allotmentId: string | null;

  /** Facility at which the people are picked up (prefix `fac`); null if it is not known, or they come on their own. */
  @Id('fac')
  pickupFacilityId: string | null;

  /** What the driver needs to know about the pickup; null if there is nothing. */
  @Text({ max: 500 })
  pickupNote: string | null;

  /**
   * Whether the external provider has confirmed the item; `none` if it has no external provider. A cancelled item is
   * `cancelling` until the provider has cancelled its order.
   */
  @OneOf(SUPPLIER_STATUSES)
  supplierStatus: SupplierStatus;

  /** When the item was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /** Reason given with the cancellation; null if none was given. */
  @Text({ max: 2000 })
  cancelReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class BookingItemEnvelope extends dataOf(BookingItemResponse) {}
export class BookingItemPage extends pageOf(BookingItemResponse) {}

export function toBookingItem(item: BookingItem): BookingItemResponse {
  return respond(BookingItemResponse, item);
}
