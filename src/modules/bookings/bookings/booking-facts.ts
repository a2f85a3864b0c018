import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type { Booking } from './booking.entity.js';
import type { BookingStatus } from './booking-status.js';

/** What other modules may know of a booking. */
export interface BookingSummary {
  readonly id: string;
  readonly number: string;
  readonly status: BookingStatus;
  readonly currency: string;
  /** Sum of the live items in minor units; null until there is an item. */
  readonly totalCents: number | null;
  readonly customerName: string;
  readonly customerEmail: string | null;
  readonly startDate: string | null;
  /** Earliest service date of the live items, else the start date. */
  readonly departureDate: string | null;
  readonly paymentPolicy: PaymentPolicy | null;
  readonly channelId: string | null;
  readonly version: number;
}

export function toBookingSummary(booking: Booking, departureDate: string | null): BookingSummary {
  return {
    id: booking.id,
    number: booking.number,
    status: booking.status,
    currency: booking.currency,
    totalCents: booking.totalCents,
    customerName: booking.customerName,
    customerEmail: booking.customerEmail,
    startDate: booking.startDate,
    departureDate,
    paymentPolicy: booking.paymentPolicy,
    channelId: booking.channelId,
    version: booking.version,
  };
}
