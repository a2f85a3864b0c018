import { make } from '../../../../platform/database/rows.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import type { CommissionLine } from '../../commissions/index.js';
import {
  type Direction,
  type Method,
  Payment,
  type PaymentStatus,
  type RequestedShare,
  type Source,
} from '../../books/index.js';

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
}

/** Makes a completed payment without allocations. */
export function newPayment(input: PaymentInput, { id, now }: Origin): Payment {
  const { direction = 'in', bookingId = null, supplierInvoiceId = null, paidOn } = input;
  const [needed, other] =
    direction === 'in' ? (['bookingId', 'supplierInvoiceId'] as const) : (['supplierInvoiceId', 'bookingId'] as const);
  if (input[needed] === undefined) throw invalidField(needed, `${needed} is required for ${direction}`, 'required');
  if (input[other] !== undefined)
    throw invalidField(other, `${other} is not allowed for ${direction}`, 'not_applicable');
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
    // If staff name the debts that a payment settles, they also decide about its rest.
    autoApply: input.autoApply ?? input.allocations === undefined,
    paidOn,
    // The caller replaces it if the month is closed.
    postingDate: paidOn,
    reference: input.reference,
    source: input.source ?? 'manual',
    status: 'completed',
    replacesPaymentId: input.replacesPaymentId,
    createdAt: now,
  });
}

export interface PayoutInput {
  method: Method;
  paidOn: string;
  reference?: string | null | undefined;
}

/** Makes the payout of a commission, or a receipt for a negative one, which the recipient pays back. */
export function newPayout(
  commission: Pick<CommissionLine, 'id' | 'currency' | 'amountCents'>,
  { method, paidOn, reference = null }: PayoutInput,
  { id, now }: Origin,
): Payment {
  return make(Payment, {
    id,
    direction: commission.amountCents > 0 ? 'out' : 'in',
    kind: 'commission_payout',
    status: 'completed',
    commissionId: commission.id,
    method,
    currency: commission.currency,
    amountCents: Math.abs(commission.amountCents),
    unappliedCents: 0,
    coveredCents: 0,
    autoApply: true,
    paidOn,
    // The caller replaces it if the month is closed.
    postingDate: paidOn,
    reference,
    source: 'manual',
    createdAt: now,
  });
}

/** Money that is paid back to a customer or moved between bookings. */
interface CustomerPayment {
  bookingId: string;
  currency: string;
  amountCents: number;
  method: Method;
  reason: string;
  paidOn: string;
  receiptId?: string | null;
  dueOn?: string | null;
  transferId?: string | null;
}

interface CustomerPaymentOrigin extends Origin {
  kind: 'refund' | 'transfer_in' | 'transfer_out';
  status: PaymentStatus;
}

/** Makes a refund, or one side of a transfer. */
export function newCustomerPayment(input: CustomerPayment, { id, kind, status, now }: CustomerPaymentOrigin): Payment {
  const isIn = kind === 'transfer_in';
  return make(Payment, {
    ...input,
    id,
    direction: isIn ? 'in' : 'out',
    kind,
    status,
    unappliedCents: isIn ? input.amountCents : 0,
    coveredCents: 0,
    autoApply: true,
    postingDate: input.paidOn,
    source: 'manual',
    createdAt: now,
  });
}
