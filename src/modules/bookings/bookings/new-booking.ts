import { make } from '../../../platform/database/rows.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type { CreateBooking } from './booking.dto.js';
import { Booking } from './booking.entity.js';

/** A draft without items. Throws 400 where it would end before it starts. */
export function newBooking(
  input: CreateBooking,
  { id, paymentPolicy, now }: { id: string; paymentPolicy: PaymentPolicy | null; now: Date },
): Booking {
  const booking = make(Booking, {
    id,
    number: input.number ?? '',
    status: 'draft',
    currency: input.currency,
    totalCents: null,
    customerName: input.customerName,
    customerEmail: input.customerEmail ?? null,
    startDate: input.startDate ?? null,
    endDate: input.endDate ?? null,
    notes: input.notes ?? null,
    paymentPolicy,
    channelId: input.channelId ?? null,
    confirmedAt: null,
    cancelledAt: null,
    cancelReason: null,
    terms: null,
    termsSha256: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  booking.assertDates();
  return booking;
}
