import { extensible } from '../../../platform/http/named-values.js';
import { reportOf } from '../../../platform/http/dto.js';
import { Cents, Id, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { PAYMENT_KINDS, type PaymentKind } from '../books/index.js';
import { type Bucket, BUCKETS } from './aging.dto.js';
import { CountedRow, CurrencyRow, LOWEST, OpenSums } from './report-amounts.dto.js';

const UNAPPLIED_KINDS = extensible('UnappliedMoneyKind', [
  'receipt',
  'transfer_in',
  'held_for_settlement',
  'held_for_confirmation',
]);
type UnappliedKind = (typeof UNAPPLIED_KINDS)[number];

/** Open amounts of a customer, a booking or a supplier. */
class OpenGroup extends OpenSums {
  /** Stable identifier of the group, for the filter `group` of the entries. */
  @Text({ max: 64 })
  group: string;

  /** Current name of the customer or supplier. */
  @Text({ max: 500 })
  name: string;

  /** The booking, if the report is grouped by booking. */
  @Id('book')
  bookingId: string | null;

  /** Earliest due date of the entries; null if none has one. */
  @IsoDate()
  oldestDueDate: string | null;
}

/** Sums of all groups in one currency; `count` is the number of groups. */
class OpenTotals extends OpenSums {}

/** An amount to pay, and its paid part. */
class DebtRow extends CurrencyRow {
  /** Amount less credits. */
  @Cents({ min: LOWEST })
  amountCents: number | null;

  /** Amount allocated to it until the day. */
  @Cents({ min: LOWEST })
  paidCents: number | null;
}

/** An installment, an invoice, a supplier invoice or an uncovered refund with an open amount. */
class OpenEntry extends DebtRow {
  /** ID of the installment, invoice, supplier invoice or payment. */
  @Text({ max: 100 })
  id: string;

  /** Kind of the resource with this `id`. */
  @OneOf(['payment_schedule', 'invoice', 'supplier_invoice', 'payment'])
  entity: string;

  /** Type of the installment, or `invoice`, `supplier_invoice`, `refund_recovery`. */
  @Text({ max: 50 })
  type: string;

  /** The group of the report that contains the entry. */
  @Text({ max: 64 })
  group: string;

  /** Current name of the customer or supplier. */
  @Text({ max: 500 })
  name: string;

  /** The booking; null for supplier invoices. */
  @Id('book')
  bookingId: string | null;

  /** Number of the booking; null for supplier invoices. */
  @Text({ min: 0, max: 40 })
  bookingNumber: string | null;

  /** Label of the installment, or number of the invoice. */
  @Text({ min: 0, max: 500 })
  label: string | null;

  /** Number of the invoice or supplier invoice; null for other entries. */
  @Text({ min: 0, max: 100 })
  number: string | null;

  /** Day on which it is due; null if none is stated. */
  @IsoDate()
  dueDate: string | null;

  /** Days past the due date; 0 if it is not overdue. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  daysLate: number;

  /** Range of days past the due date. */
  @OneOf(BUCKETS)
  bucket: Bucket;

  /** `amountCents` - `paidCents`. */
  @Cents({ min: LOWEST })
  openCents: number | null;

  /** Day of the last reminder sent for it until the day; null if there was none. */
  @IsoDate()
  remindedOn: string | null;
}

/** Sums of debts in one currency. */
class DebtTotals extends DebtRow {
  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;
}

/** Sums of all entries in one currency. */
class OpenEntryTotals extends DebtTotals {
  /** Sum of the open amounts. */
  @Cents({ min: LOWEST })
  openCents: number | null;
}

/** An installment that a customer still owes, or a refund that no money covers. */
class OpenInstallment extends DebtRow {
  /** The installment; null for a refund. */
  @Id('psch')
  scheduleId: string | null;

  /** The refund or outgoing transfer whose receipt was reversed afterwards; null for an installment. */
  @Id('pay')
  paymentId: string | null;

  /** The booking that owes it. */
  @Id('book')
  bookingId: string;

  /** Booking number shown to the customer. */
  @Text({ max: 40 })
  bookingNumber: string;

  /** Status of the booking at the end of the day. */
  @Text({ max: 20 })
  bookingStatus: string;

  /** Current name of the customer of the booking. */
  @Text({ max: 500 })
  customerName: string;

  /** Current e-mail address of the customer; null if unknown. */
  @Text({ min: 0, max: 500 })
  customerEmail: string | null;

  /** The channel that sold the booking; null for a direct sale. */
  @Id('chan')
  channelId: string | null;

  /** Type of the installment, or `refund_recovery`. */
  @Text({ max: 50 })
  type: string;

  /** Label of the installment, `Refund` for a refund. */
  @Text({ max: 500 })
  label: string;

  /** Day on which it is due. */
  @IsoDate()
  dueDate: string;

  /** Days past the due date; 0 if it is not overdue. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  daysLate: number;

  /** `amountCents` - `paidCents`. */
  @Cents({ min: LOWEST })
  outstandingCents: number | null;

  /** Amount to request from the customer; less than outstanding if the booking has unapplied money or a credit due. */
  @Cents({ min: LOWEST })
  askCents: number | null;
}

/** Sums of all installments in one currency. */
class OpenInstallmentTotals extends DebtTotals {
  /** Sum outstanding. */
  @Cents({ min: LOWEST })
  outstandingCents: number | null;

  /** Sum of the amounts to request. */
  @Cents({ min: LOWEST })
  askCents: number | null;
}

/** Received money with its booking. */
class ReceiptRow extends CurrencyRow {
  /** The payment of this row (prefix `pay`). */
  @Id('pay')
  paymentId: string;

  /** The booking of the payment. */
  @Id('book')
  bookingId: string;

  /** Booking number shown to the customer. */
  @Text({ max: 40 })
  bookingNumber: string;

  /** Status of the booking at the end of the day. */
  @Text({ max: 20 })
  bookingStatus: string;

  /** Current name of the customer of the booking. */
  @Text({ max: 500 })
  customerName: string;

  /** Day on which the money was received. */
  @IsoDate()
  receivedOn: string;

  /** Days since the receipt. */
  @Whole({ min: LOWEST, max: Number.MAX_SAFE_INTEGER })
  ageDays: number;

  /** Reference of the payment; null if none is stored. */
  @Text({ min: 0, max: 500 })
  reference: string | null;

  /** Amount of the payment. */
  @Cents({ min: LOWEST })
  amountCents: number | null;
}

/** Received money that settled nothing, or that must be paid back. */
class UnappliedPayment extends ReceiptRow {
  /**
   * `receipt` or `transfer_in`; `held_for_settlement` if the booking is cancelled and not settled, and
   * `held_for_confirmation` if it is a quote: then money on its installments settles nothing either.
   */
  @OneOf(UNAPPLIED_KINDS)
  kind: UnappliedKind;

  /**
   * Day until which the rest of a cancelled booking must be refunded; null if the booking is not cancelled, or the customer
   * keeps it as a credit.
   */
  @IsoDate()
  refundDueOn: string | null;

  /** Part of the amount that settled nothing. */
  @Cents({ min: LOWEST })
  unappliedCents: number | null;

  /** Part of the amount that covers refunds that are requested and not yet paid. */
  @Cents({ min: LOWEST })
  reservedCents: number | null;
}

/** Sums of all payments in one currency. */
class UnappliedTotals extends CountedRow {
  /** Sum of the amounts. */
  @Cents({ min: LOWEST })
  amountCents: number | null;

  /** Sum of the parts that settled nothing. */
  @Cents({ min: LOWEST })
  unappliedCents: number | null;

  /** Sum of the parts that cover requested refunds. */
  @Cents({ min: LOWEST })
  reservedCents: number | null;
}

/** Received money on no invoice. */
class UnbilledReceipt extends ReceiptRow {
  /** `receipt` or `transfer_in`. */
  @OneOf(PAYMENT_KINDS)
  kind: PaymentKind;

  /** Part of the amount that settled installments without an invoice. */
  @Cents({ min: LOWEST })
  onInstallmentsCents: number | null;

  /** Part of the amount that settled nothing. */
  @Cents({ min: LOWEST })
  unappliedCents: number | null;

  /** Sum of both parts, without money that covers requested refunds. */
  @Cents({ min: LOWEST })
  unbilledCents: number | null;
}

/** Sums of all payments in one currency. */
class UnbilledTotals extends CountedRow {
  /** Sum of the amounts. */
  @Cents({ min: LOWEST })
  amountCents: number | null;

  /** Sum of the parts that settled installments without an invoice. */
  @Cents({ min: LOWEST })
  onInstallmentsCents: number | null;

  /** Sum of the parts that settled nothing. */
  @Cents({ min: LOWEST })
  unappliedCents: number | null;

  /** Sum of both parts. */
  @Cents({ min: LOWEST })
  unbilledCents: number | null;
}

export class OpenGroupReport extends reportOf(OpenGroup, OpenTotals) {}
export class OpenEntryReport extends reportOf(OpenEntry, OpenEntryTotals) {}
export class OpenInstallmentReport extends reportOf(OpenInstallment, OpenInstallmentTotals) {}
export class UnappliedMoneyReport extends reportOf(UnappliedPayment, UnappliedTotals) {}
export class UnbilledReceiptReport extends reportOf(UnbilledReceipt, UnbilledTotals) {}
