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

export class BookingItemResponse {
  @Id('bkit')
  id: string;

  @Id('book')
  bookingId: string;

  @OneOf(ITEM_TYPES)
  type: ItemType;

  @Text({ max: 255 })
  title: string;

  @OneOf(ITEM_STATUSES)
  status: ItemStatus;

  /** The booking's. */
  @CurrencyCode()
  currency: string;

  @Whole({ min: 1, max: 1_000_000 })
  quantity: number;

  @Cents({ min: MIN_CENTS })
  unitSellCents: number;

  /** quantity * unitSellCents. */
  @Cents({ min: MIN_CENTS })
  totalSellCents: number;

  @Cents({ min: MIN_CENTS })
  taxIncludedCents: number;

  @Cents()
  costCents: number | null;

  @CurrencyCode()
  costCurrency: string | null;

  @OneOf(PRICING_TREATMENTS)
  pricingTreatment: PricingTreatment;

  @IsoDate()
  serviceDate: string | null;

  @Id('dep')
  departureId: string | null;

  @Id('alot')
  allotmentId: string | null;

  @Instant()
  cancelledAt: string | null;

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
