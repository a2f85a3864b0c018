import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, Nested, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { PaymentPolicyResponse } from '../payment-policies/payment-policy.dto.js';
import type { PaymentPolicy } from '../payment-policies/payment-policy.js';
import type { BookingView } from './booking-rows.service.js';
import { BOOKING_STATUSES, type BookingStatus } from './booking-status.js';
import { BookingTermsLine, toTermsLine } from './booking-terms.dto.js';

export class BookingResponse {
  @Id('book')
  id: string;

  @Text({ max: 40 })
  number: string;

  @OneOf(BOOKING_STATUSES)
  status: BookingStatus;

  @CurrencyCode()
  currency: string;

  /** Sum of the items that are not cancelled; null until there is an item. */
  @Cents()
  totalCents: number | null;

  @Text({ max: 255 })
  customerName: string;

  @EmailAddress()
  customerEmail: string | null;

  @IsoDate()
  startDate: string | null;

  @IsoDate()
  endDate: string | null;

  /** Earliest service date of the items that are not cancelled, else startDate. */
  @IsoDate()
  departureDate: string | null;

  @Text({ min: 0, max: 2000 })
  notes: string | null;

  /** Null where the organization's policy applies. */
  @Nested(() => PaymentPolicyResponse)
  paymentPolicy: PaymentPolicyResponse | null;

  @Id('chan')
  channelId: string | null;

  @Instant()
  confirmedAt: string | null;

  @Instant()
  cancelledAt: string | null;

  @Text({ max: 2000 })
  cancelReason: string | null;

  /** The versions of policies that were in force at its confirmation; null before it. */
  @ListOf(() => BookingTermsLine, { max: 4000 })
  terms: BookingTermsLine[] | null;

  /** SHA-256 of the canonical JSON (RFC 8785) of `terms`. */
  @Text({ max: 64 })
  termsSha256: string | null;

  /** Raised by every change, also of its items; also the ETag. */
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
