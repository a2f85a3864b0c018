import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Version,
} from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_LIVE_ALLOCATIONS, type PaymentAllocation } from '../booking-account/payment-allocation.entity.js';
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
} from '../booking-account/payment.entity.js';

const MAX_REQUESTED = 100;

export const SORT_FIELDS = ['paidOn', 'amountCents', 'createdAt'] as const;

/** Part of a payment to allocate. Name the installment, the invoice, or both. */
export class WishedAllocation {
  /**
   * Installment to settle (prefix `psch`); only for received money. Without `invoiceId` the money also counts on the
   * installment's invoice, otherwise on the oldest open invoice of the booking.
   */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /**
   * Issued invoice to settle (prefix `inv`); only for received money. Without `scheduleId` the money is spread over
   * the open installments, the invoice's own first.
   */
  @Optional()
  @Id('inv')
  invoiceId?: string;

  /** Amount to allocate, in minor units of the payment currency. */
  @Cents({ min: 1 })
  amountCents: number;
}

/** Money that was received from a customer or sent to a supplier. */
export class CreatePayment {
  @Ignored()
  id?: undefined;

  /**
   * `in`: received from a customer (default); `out`: sent to a supplier.
   * @example "in"
   */
  @Optional()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  /** Booking that the money was received for (prefix `book`); required for `in`, rejected for `out`. */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Approved supplier invoice that was paid (prefix `sinv`); required for `out`, rejected for `in`. */
  @Optional()
  @Id('sinv')
  supplierInvoiceId?: string;

  /**
   * How the money was transferred; informational.
   * @example "bank_transfer"
   */
  @OneOf(METHODS)
  method: Method;

  /**
   * Currency of the booking or the supplier invoice, ISO 4217.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Amount in minor units of `currency`, at least 1.
   * @example 25000
   */
  @Cents({ min: 1 })
  amountCents: number;

  /**
   * Day on which the money moved; not after today.
   * @example "2025-11-03"
   */
  @IsoDate()
  paidOn: string;

  /**
   * Reference on the bank statement or receipt; null if there is none.
   * @example "RF18 5390 0754 7034"
   */
  @Clearable()
  @Text({ max: 255 })
  reference?: string | null;

  /**
   * What the payment settles, at most 100. Omitted: open installments, oldest first; for `out` the supplier invoice.
   */
  @Optional()
  @ListOf(() => WishedAllocation, { max: MAX_REQUESTED })
  allocations?: WishedAllocation[];
}

/** How unapplied money of a payment is to be allocated. */
export class AllocatePayment {
  /** What the unapplied money settles, 1 to 100. Omitted: open installments, oldest first. */
  @Optional()
  @ListOf(() => WishedAllocation, { min: 1, max: MAX_REQUESTED })
  allocations?: WishedAllocation[];
}

/** Reason for reversing a payment. */
export class PaymentReversal {
  /**
   * Stored with the payment and the action ledger entry.
   * @example "The cheque bounced"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListPayments extends PageQuery {
  /** Only payments received for this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only payments sent for this supplier invoice (prefix `sinv`). */
  @Optional()
  @Id('sinv')
  supplierInvoiceId?: string;

  /** Only received (`in`) or only sent (`out`) payments. */
  @Optional()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  /** Only payments in this status. */
  @Optional()
  @OneOf(PAYMENT_STATUSES)
  status?: PaymentStatus;

  /** Only payments with `paidOn` on this day or later. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Only payments with `paidOn` on this day or earlier. */
  @Optional()
  @IsoDate()
  to?: string;

  /** Sort field; a leading `-` means descending order, `-createdAt` by default. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}

/** A payment with its live allocations. */
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
