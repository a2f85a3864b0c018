import { make } from '../../../platform/database/rows.js';
import type { CreateBookingItem } from './booking-item.dto.js';
import { BookingItem } from './booking-item.entity.js';

/** A live item. Throws 400 where its figures contradict each other. */
export function newBookingItem(
  input: CreateBookingItem,
  { id, booking, now }: { id: string; booking: { id: string; currency: string }; now: Date },
): BookingItem {
  const item = make(BookingItem, {
    id,
    bookingId: booking.id,
    currency: booking.currency,
    type: input.type,
    title: input.title,
    status: 'confirmed',
    quantity: input.quantity ?? 1,
    unitSellCents: input.unitSellCents,
    totalSellCents: 0,
    taxIncludedCents: input.taxIncludedCents ?? 0,
    costCents: input.costCents ?? null,
    costCurrency: input.costCurrency ?? null,
    pricingTreatment: input.pricingTreatment ?? 'standard',
    serviceDate: input.serviceDate ?? null,
    departureId: input.departureId ?? null,
    allotmentId: input.allotmentId ?? null,
    cancelledAt: null,
    cancelReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  item.price();
  return item;
}
