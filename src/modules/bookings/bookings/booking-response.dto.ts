import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, Nested, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { PaymentPolicyResponse } from '../payment-policies/payment-policy.dto.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type { BookingView } from './booking-rows.service.js';
import { BOOKING_STATUSES, type BookingStatus } from './booking-status.js';
import { BookingTermsLine, toTermsLine } from './booking-terms.dto.js';

/** A customer's order of travel services, in one currency. Its total is the sum of its items. */
export class BookingResponse {
  @Id('book')
  id: string;

  /** Booking number, unique across all bookings; `B-<year>-<6 digits>` if the server assigned it. */
  @Text({ max: 40 })
  number: string;

  /**
   * A server job moves `confirmed` to `in_progress` on the departure date, and `in_progress` to `completed` after the
   * last service date.
   */
  @OneOf(BOOKING_STATUSES)
  status: BookingStatus;

  /** ISO 4217 code that applies to every price of the booking; immutable once it has had an item. */
  @CurrencyCode()
  currency: string;

  /** Sum of `totalSellCents` of the items that are not cancelled, in minor units; null until an item is added. */
  @Cents()
  totalCents: number | null;

  /** Person or company that pays; the default payer of invoices. */
  @Text({ max: 255 })
  customerName: string;

  /** Address that reminders are sent to; null if unknown. */
  @EmailAddress()
  customerEmail: string | null;

  /** First day of the trip as entered by staff; null if open. */
  @IsoDate()
  startDate: string | null;

  /** Last day of the trip as entered by staff, not before `startDate`; null if open. */
  @IsoDate()
  endDate: string | null;

  /**
   * Earliest service date of the items that are not cancelled, otherwise `startDate`. Due dates of the payment plan
   * are computed from it.
   */
  @IsoDate()
  departureDate: string | null;

  /** Internal notes of staff; null if there are none. */
  @Text({ min: 0, max: 2000 })
  notes: string | null;

  /** Payment policy of this booking; null if the organization's policy applies. */
  @Nested(() => PaymentPolicyResponse)
  paymentPolicy: PaymentPolicyResponse | null;

  /** Distribution channel that sold the booking (prefix `chan`); null for a direct sale. */
  @Id('chan')
  channelId: string | null;

  /** When the booking was confirmed; null for a booking that was never confirmed. */
  @Instant()
  confirmedAt: string | null;

  /** When the booking was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /** Reason given with the cancellation; null unless the booking is cancelled. */
  @Text({ max: 2000 })
  cancelReason: string | null;

  /** Policy versions that were in force when the booking was confirmed; null before confirmation. */
  @ListOf(() => BookingTermsLine, { max: 4000 })
  terms: BookingTermsLine[] | null;

  /** SHA-256 (hexadecimal) of the canonical JSON (RFC 8785) of `terms`; null before confirmation. */
  @Text({ max: 64 })
  termsSha256: string | null;

  /**
   * Increases with every change of the booking or its items. It is also the ETag, and what If-Match is compared with.
   */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toBooking(view: BookingView): BookingResponse {
  return {
    id: view.id,
    number: view.number,
    status: view.status,
    currency: view.currency,
    totalCents: view.totalCents,
    customerName: view.customerName,
    customerEmail: view.customerEmail,
    startDate: view.startDate,
    endDate: view.endDate,
    departureDate: view.departureDate,
    notes: view.notes,
    paymentPolicy: view.paymentPolicy && toPolicy(view.paymentPolicy),
    channelId: view.channelId,
    confirmedAt: view.confirmedAt?.toISOString() ?? null,
    cancelledAt: view.cancelledAt?.toISOString() ?? null,
    cancelReason: view.cancelReason,
    terms: view.terms && view.terms.map(toTermsLine),
    termsSha256: view.termsSha256,
    version: view.version,
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}

function toPolicy({ steps, minimumDays, floorDays, noDateDays, roundToCents }: PaymentPolicy): PaymentPolicyResponse {
  return {
    steps: steps.map(({ label, type, percentBasisPoints, fixedCents, remainder, anchor, offsetDays }) => {
      return { label, type, percentBasisPoints, fixedCents, remainder, anchor, offsetDays };
    }),
    minimumDays,
    floorDays,
    noDateDays,
    roundToCents,
  };
}

export class BookingEnvelope extends dataOf(BookingResponse) {}
export class BookingPage extends pageOf(BookingResponse) {}
