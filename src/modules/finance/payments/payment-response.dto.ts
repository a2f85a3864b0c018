import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_LIVE_ALLOCATIONS } from './allocation-limits.js';
import {
  DIRECTIONS,
  type Direction,
  type Method,
  METHODS,
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  type Source,
  SOURCES,
} from './payment.entity.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';

/** A payment with the allocations that count. */
export interface PaymentView {
  payment: Payment;
  allocations: readonly PaymentAllocation[];
}

/** As it stands in lists: everything but the allocations. */
export class PaymentSummary {
  @Id('pay')
  id: string;

  @OneOf(DIRECTIONS)
  direction: Direction;

  /** The booking that the money came in for; null on money that went out. */
  @Id('book')
  bookingId: string | null;

  /** The supplier invoice that the money went out for; null on money that came in. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  @OneOf(METHODS)
  method: Method;

  @CurrencyCode()
  currency: string;

  @Cents({ min: 1 })
  amountCents: number;

  /** amountCents minus what is allocated; all of it once the payment is reversed. */
  @Cents()
  unappliedCents: number;

  @IsoDate()
  paidOn: string;

  @Text({ max: 255 })
  reference: string | null;

  /** `schedule_patch`: recorded because an installment was set to `paid` by hand. */
  @OneOf(SOURCES)
  source: Source;

  @OneOf(PAYMENT_STATUSES)
  status: PaymentStatus;

  @Instant()
  reversedAt: string | null;

  @Text({ max: 2000 })
  reversalReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class AllocationResponse {
  @Id('pall')
  id: string;

  /** The installment that it settles; null: none, or money that went out. */
  @Id('psch')
  scheduleId: string | null;

  /** The invoice on which the same money counts; null: none, or money that went out. */
  @Id('inv')
  invoiceId: string | null;

  @Id('sinv')
  supplierInvoiceId: string | null;

  @Cents({ min: 1 })
  amountCents: number;

  /** From this day on it counts: the payment's, or the later one on which it was allocated. */
  @IsoDate()
  effectiveOn: string;

  @Instant()
  createdAt: string;
}

export class PaymentResponse extends PaymentSummary {
  /** What it settles now, oldest first; without what was deallocated or reversed. */
  @ListOf(() => AllocationResponse, { max: MAX_LIVE_ALLOCATIONS })
  allocations: AllocationResponse[];
}

export function toPaymentSummary(payment: Payment): PaymentSummary {
  return {
    id: payment.id,
    direction: payment.direction,
    bookingId: payment.bookingId,
    supplierInvoiceId: payment.supplierInvoiceId,
    method: payment.method,
    currency: payment.currency,
    amountCents: payment.amountCents,
    unappliedCents: payment.unappliedCents,
    paidOn: payment.paidOn,
    reference: payment.reference,
    source: payment.source,
    status: payment.status,
    reversedAt: payment.reversedAt?.toISOString() ?? null,
    reversalReason: payment.reversalReason,
    version: payment.version,
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
  };
}

export function toPayment({ payment, allocations }: PaymentView): PaymentResponse {
  return { ...toPaymentSummary(payment), allocations: allocations.map(toAllocation) };
}

function toAllocation(allocation: PaymentAllocation): AllocationResponse {
  return {
    id: allocation.id,
    scheduleId: allocation.scheduleId,
    invoiceId: allocation.invoiceId,
    supplierInvoiceId: allocation.supplierInvoiceId,
    amountCents: allocation.amountCents,
    effectiveOn: allocation.effectiveOn,
    createdAt: allocation.createdAt.toISOString(),
  };
}

export class PaymentEnvelope extends dataOf(PaymentResponse) {}
export class PaymentPage extends pageOf(PaymentSummary) {}
