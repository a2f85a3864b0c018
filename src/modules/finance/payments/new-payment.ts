import { make } from '../../../platform/database/rows.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { RequestedShare } from '../booking-account/booking-account.js';
import { type Direction, type Method, Payment, type Source } from '../booking-account/payment.entity.js';

export interface PaymentInput {
  direction?: Direction;
  bookingId?: string;
  supplierInvoiceId?: string;
  method: Method;
  currency: string;
  amountCents: number;
  paidOn: string;
  reference?: string | null;
  source?: Source;
  allocations?: readonly RequestedShare[];
}

interface Origin {
  id: string;
  now: Date;
  today: string;
}

/** A completed payment of which nothing is applied yet. Throws 400 on a missing or superfluous side, and on a future day. */
export function newPayment(input: PaymentInput, { id, now, today }: Origin): Payment {
  const { direction = 'in', bookingId = null, supplierInvoiceId = null, paidOn } = input;
  const [needed, other] =
    direction === 'in' ? (['bookingId', 'supplierInvoiceId'] as const) : (['supplierInvoiceId', 'bookingId'] as const);
  if (input[needed] === undefined) throw invalidField(needed, `${needed} is required for ${direction}`, 'required');
  if (input[other] !== undefined)
    throw invalidField(other, `${other} is not allowed for ${direction}`, 'not_applicable');
  if (paidOn > today) throw invalidField('paidOn', 'paidOn must not be after today', 'in_the_future');
  return make(Payment, {
    id,
    direction,
    bookingId,
    supplierInvoiceId,
    method: input.method,
    currency: input.currency,
    amountCents: input.amountCents,
    unappliedCents: input.amountCents,
    paidOn,
    reference: input.reference ?? null,
    source: input.source ?? 'manual',
    status: 'completed',
    reversedAt: null,
    reversalReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
