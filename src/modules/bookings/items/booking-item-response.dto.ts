import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  type BookingItem,
  ITEM_STATUSES,
  ITEM_TYPES,
  type ItemStatus,
  type ItemType,
  PRICING_TREATMENTS,
  type PricingTreatment,
} from './booking-item.entity.js';

const MIN_CENTS = Number.MIN_SAFE_INTEGER;

/** A sold service of a booking: a seat on a tour, a night, a fee, a discount. */
export class BookingItemResponse {
  @Id('bkit')
  id: string;

  @Id('book')
  bookingId: string;

  /** Kind of service. It determines the allowed sign of the price. */
  @OneOf(ITEM_TYPES)
  type: ItemType;

  /** What the customer reads; the description of the invoice line. */
  @Text({ max: 255 })
  title: string;

  /** `fulfilled` is set by the server when the booking is completed. */
  @OneOf(ITEM_STATUSES)
  status: ItemStatus;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Number of units sold; with a departure, also the number of departure units it takes. */
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

  /** Allotment through which the units are taken (prefix `alot`); null if they come from the pool. */
  @Id('alot')
  allotmentId: string | null;

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

export function toBookingItem(item: BookingItem): BookingItemResponse {
  return {
    id: item.id,
    bookingId: item.bookingId,
    type: item.type,
    title: item.title,
    status: item.status,
    currency: item.currency,
    quantity: item.quantity,
    unitSellCents: item.unitSellCents,
    totalSellCents: item.totalSellCents,
    taxIncludedCents: item.taxIncludedCents,
    costCents: item.costCents,
    costCurrency: item.costCurrency,
    pricingTreatment: item.pricingTreatment,
    serviceDate: item.serviceDate,
    departureId: item.departureId,
    allotmentId: item.allotmentId,
    cancelledAt: item.cancelledAt?.toISOString() ?? null,
    cancelReason: item.cancelReason,
    version: item.version,
    createdAt: item.createdAt.toISOString(),
    updatedAt: item.updatedAt.toISOString(),
  };
}

export class BookingItemEnvelope extends dataOf(BookingItemResponse) {}
export class BookingItemPage extends pageOf(BookingItemResponse) {}
