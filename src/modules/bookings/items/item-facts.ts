import type { BookingItem, ItemStatus, ItemType, PricingTreatment } from './booking-item.entity.js';

/** What other modules may know of an item. Amounts in minor units of the booking's currency, for the whole quantity. */
export interface BookingItemSummary {
  readonly id: string;
  readonly bookingId: string;
  readonly type: ItemType;
  readonly title: string;
  readonly status: ItemStatus;
  readonly currency: string;
  readonly quantity: number;
  readonly unitSellCents: number;
  readonly totalSellCents: number;
  readonly taxIncludedCents: number;
  readonly costCents: number | null;
  readonly costCurrency: string | null;
  readonly pricingTreatment: PricingTreatment;
  readonly serviceDate: string | null;
  readonly departureId: string | null;
  readonly allotmentId: string | null;
}

export function toBookingItemSummary(item: BookingItem): BookingItemSummary {
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
  };
}
