import { pageOf, PageQuery } from '../../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, OneOf, Optional, Text, Texts } from '../../../../platform/http/fields.js';
import { CurrencyCode } from '../../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../../platform/http/query-fields.js';
import { BOOKING_STATUSES, type BookingStatus } from '../../../bookings/index.js';
import { GIVEN, type GroupCredit } from '../../books/index.js';

export class ListCreditDue extends PageQuery {
  /** Only this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only bookings in one of these statuses; the documents of cancelled ones are credited by settling the cancellation. */
  @Optional()
  @AnyOf(BOOKING_STATUSES)
  bookingStatus?: BookingStatus[];

  /** Only bookings in this currency. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /** Sort field; a leading `-` means descending order, `bookingNumber` by default. */
  @Optional()
  @SortBy(['bookingNumber'])
  sort?: string;
}

/** A tax code of which more is on issued documents than is owed, or a tax that does not fit. */
export class CreditDueGroup {
  /** Tax code (prefix `taxc`); null: amounts without a tax code. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Text of the tax code; null without one. */
  @Text({ max: 20 })
  taxCode: string | null;

  /** What is billed beyond what is owed, with tax; 0 if only the tax is wrong. */
  @Cents()
  grossCents: number;

  /** Tax that is billed beyond what is owed. */
  @Cents()
  taxCents: number;

  /** True: crediting the amount alone leaves a wrong tax on the documents; correct the invoice. */
  @Flag()
  wrongTax: boolean;
}

/** A booking whose issued documents exceed what is owed. Amounts are in minor units of `currency`. */
export class CreditDue {
  @Id('book')
  bookingId: string;

  /** Number by which staff and customers know the booking. */
  @Text({ max: 40 })
  bookingNumber: string;

  /** A cancelled booking owes its agreed fee, a draft nothing beyond what is billed. */
  @OneOf(BOOKING_STATUSES)
  bookingStatus: BookingStatus;

  /** Person or company that pays. */
  @Text({ max: 255 })
  customerName: string;

  @CurrencyCode()
  currency: string;

  /** Sum of the groups' `grossCents`. */
  @Cents()
  creditDueCents: number;

  /** By tax code; amounts without one come last. */
  @ListOf(() => CreditDueGroup, { min: 1, max: 500 })
  groups: CreditDueGroup[];

  /** Invoices that can be credited for it, newest first. */
  @Texts({ max: 100_000, maxLength: 31 })
  invoiceIds: string[];
}

export class CreditDuePage extends pageOf(CreditDue) {}

export function toCreditDueGroup({ key, taxCode, grossCents, taxCents, wrongTax }: GroupCredit): CreditDueGroup {
  return { taxCodeId: key === GIVEN ? null : key, taxCode, grossCents, taxCents, wrongTax };
}
