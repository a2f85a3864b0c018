import { pageOf, PageQuery } from '../../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, OneOf, Optional, Text, Texts, Whole } from '../../../../platform/http/fields.js';
import { CurrencyCode } from '../../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../../platform/http/query-fields.js';
import { BOOKING_STATUSES, type BookingStatus } from '../../../bookings/index.js';
import { GIVEN, type GroupCredit } from '../../books/index.js';

export class ListCreditDue extends PageQuery {
  /** Only this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only bookings in one of these statuses. Settling the cancellation of a booking credits its documents. */
  @Optional()
  @AnyOf(BOOKING_STATUSES)
  bookingStatus?: BookingStatus[];

  /** Only bookings in this currency. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /** Sort field, `bookingNumber` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['bookingNumber'])
  sort?: string;
}

/** A tax code, or one of its rates, at which issued documents bill more than is owed, or a tax code with a wrong tax. */
export class CreditDueGroup {
  /** Tax code (prefix `taxc`); null for amounts without a tax code. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Text of the tax code; null without a tax code. */
  @Text({ max: 20 })
  taxCode: string | null;

  /**
   * Rate in basis points at which documents bill more than is owed, although the tax code is not billed in excess; null if the
   * group is the whole tax code.
   */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Amount billed in excess, with tax; 0 if only the tax is wrong. */
  @Cents()
  grossCents: number;

  /** Tax billed in excess. */
  @Cents()
  taxCents: number;

  /** If true, crediting the amount alone leaves a wrong tax on the documents; correct the invoice instead. */
  @Flag()
  wrongTax: boolean;
}

/** A booking whose issued documents exceed the amount owed. Amounts are in minor units of `currency`. */
export class CreditDue {
  @Id('book')
  bookingId: string;

  /** Booking number shown to staff and customers. */
  @Text({ max: 40 })
  bookingNumber: string;

  /** Status of the booking. A cancelled booking owes its agreed fee; a draft owes nothing beyond the billed amount. */
  @OneOf(BOOKING_STATUSES)
  bookingStatus: BookingStatus;

  /** Person or company that pays for the booking. */
  @Text({ max: 255 })
  customerName: string;

  @CurrencyCode()
  currency: string;

  /** Sum of the groups' `grossCents`. */
  @Cents()
  creditDueCents: number;

  /** Sorted by tax code and rate; amounts without a tax code come last. */
  @ListOf(() => CreditDueGroup, { min: 1, max: 500 })
  groups: CreditDueGroup[];

  /** Invoices that can be credited for it, newest first. */
  @Texts({ max: 100_000, maxLength: 31 })
  invoiceIds: string[];
}

export class CreditDuePage extends pageOf(CreditDue) {}

export function toCreditDueGroup(
  { key, taxCode, grossCents, taxCents, wrongTax }: GroupCredit,
  taxRateBasisPoints: number | null = null,
): CreditDueGroup {
  return { taxCodeId: key === GIVEN ? null : key, taxCode, taxRateBasisPoints, grossCents, taxCents, wrongTax };
}
