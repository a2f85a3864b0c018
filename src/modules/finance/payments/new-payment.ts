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
  autoApply?: boolean;
  replacesPaymentId?: string;
}

interface Origin {
  id: string;
  now: Date;
  today: string;
  postingDate: string;
}

/** A completed payment of which nothing is applied yet. Throws 400 on a missing or superfluous side, and on a future day. */
export function newPayment(input: PaymentInput, { id, now, today, postingDate }: Origin): Payment {
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
    kind: direction === 'in' ? 'receipt' : 'supplier_payment',
    bookingId,
    supplierInvoiceId,
    method: input.method,
    currency: input.currency,
    amountCents: input.amountCents,
    unappliedCents: input.amountCents,
    coveredCents: 0,
    // Staff who name what a payment settles decide about its rest too.
    autoApply: input.autoApply ?? input.allocations === undefined,
    paidOn,
    postingDate,
    dueOn: null,
    reference: input.reference ?? null,
    source: input.source ?? 'manual',
    status: 'completed',
    reason: null,
    receiptId: null,
    transferId: null,
    replacesPaymentId: input.replacesPaymentId ?? null,
    reversedAt: null,
    reversalReason: null,
    reversalKind: null,
    reversedOn: null,
    reversalPostingDate: null,
    failedAt: null,
    failureReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
