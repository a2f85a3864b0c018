import { make } from '../../../platform/database/rows.js';
import type { CreateBookingItem } from '../items/booking-item.dto.js';
import { BookingItem, NO_UNIT, type SupplierStatus } from '../items/booking-item.entity.js';
import type { Booking } from './booking.entity.js';
import { NO_EARLIER_RATE } from '../items/item-price.js';

/** An item with its price; its tax is the stated amount until a tax code applies. */
export function newItem(
  input: CreateBookingItem,
  { id, booking, supplierStatus, now }: { id: string; booking: Booking; supplierStatus: SupplierStatus; now: Date },
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
    taxRateChanged: false,
    ...NO_EARLIER_RATE,
    refundable: input.refundable ?? true,
    costCents: input.costCents,
    costCurrency: input.costCurrency,
    pricingTreatment: input.pricingTreatment ?? 'standard',
    serviceDate: input.serviceDate,
    departureId: input.departureId,
    allotmentId: input.allotmentId,
    pickupFacilityId: input.pickupFacilityId,
    pickupNote: input.pickupNote,
    ...NO_UNIT,
    priceSource: 'manual',
    supplierStatus,
    cancelledWithBooking: false,
    createdAt: now,
  });
  item.price();
  return item;
}
