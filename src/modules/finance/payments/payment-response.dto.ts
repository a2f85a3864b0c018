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

/** A payment without its allocations. Amounts are in minor units of `currency`. */
export class PaymentSummary {
  @Id('pay')
  id: string;

  /** `in`: received from a customer; `out`: sent to a supplier. */
  @OneOf(DIRECTIONS)
  direction: Direction;

  /** Booking that the money was received for (prefix `book`); null for outgoing money. */
  @Id('book')
  bookingId: string | null;

  /** Supplier invoice that was paid (prefix `sinv`); null for received money. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  /** How the money was transferred; informational. */
  @OneOf(METHODS)
  method: Method;

  /** Currency of the booking or the supplier invoice, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Amount received or sent, in minor units. */
  @Cents({ min: 1 })
  amountCents: number;

  /** `amountCents` minus the active allocations; the full amount once the payment is reversed. */
  @Cents()
  unappliedCents: number;

  /** Day on which the money moved. */
  @IsoDate()
  paidOn: string;

  /** Reference on the bank statement or receipt; null if there is none. */
  @Text({ max: 255 })
  reference: string | null;

  /**
   * `schedule_patch`: recorded by the server because staff set an installment to `paid`; otherwise recorded through
   * this API.
   */
  @OneOf(SOURCES)
  source: Source;

  /** `reversed` payments have no active allocations. */
  @OneOf(PAYMENT_STATUSES)
  status: PaymentStatus;

  /** When the payment was reversed; null unless its status is `reversed`. */
  @Instant()
  reversedAt: string | null;

  /** Reason given with the reversal; null unless its status is `reversed`. */
  @Text({ max: 2000 })
  reversalReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Part of a payment that settles an installment, an invoice or a supplier invoice. */
export class AllocationResponse {
  @Id('pall')
  id: string;

  /** Installment that is settled (prefix `psch`); null if none, or for outgoing money. */
  @Id('psch')
  scheduleId: string | null;

  /** Invoice on which the same money counts (prefix `inv`); null if none, or for outgoing money. */
  @Id('inv')
  invoiceId: string | null;

  /** Supplier invoice that is settled (prefix `sinv`); null for received money. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  /** Allocated amount in minor units of the payment currency. */
  @Cents({ min: 1 })
  amountCents: number;

  /** First day on which the allocation counts in reports: `paidOn` of the payment, or the later day of allocation. */
  @IsoDate()
  effectiveOn: string;

  @Instant()
  createdAt: string;
}

/** A payment with its active allocations. Amounts are in minor units of `currency`. */
export class PaymentResponse extends PaymentSummary {
  /** What the payment settles now, oldest first; without reversed allocations. */
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
