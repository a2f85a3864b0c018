import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import {
  CANCELLATION_INITIATORS,
  type CancellationInitiator,
  POLICY_KINDS,
  type PolicyKind,
  type TermsLine,
} from '../../legal/index.js';
import { PaymentPolicyBody, PaymentPolicyResponse, toPolicy } from '../payment-policies/payment-policy.dto.js';
import { BOOKING_STATUSES, type BookingStatus, type BookingView } from './booking.entity.js';

/** `startDate` sorts by the departure date; it is the earlier name. */
export const SORT_FIELDS = ['createdAt', 'departureDate', 'startDate', 'number', 'customerName', 'totalCents'] as const;

const BALANCES = named('BookingBalance', ['open', 'overdue', 'credit']);
export type Balance = (typeof BALANCES)[number];
const DUE_STATUSES = named('BookingDueStatus', ['settled', 'open', 'overdue', 'credit']);
export type DueStatus = (typeof DUE_STATUSES)[number];

/** What a row of the list shows besides the booking. */
export interface ListedFigures {
  channelName: string | null;
  firstTitle: string | null;
  people: number;
  outstandingCents: number;
  dueStatus: DueStatus;
  nextDueOn: string | null;
}

export interface ListedBooking {
  view: BookingView;
  figures: ListedFigures;
}

/** A new booking. It always starts as a draft without items. */
export class CreateBooking {
  @Ignored()
  id?: undefined;

  /**
   * Unique booking number; `B-<year>-<6 digits>` by default.
   * @example "TUI-88120"
   */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /**
   * Only `draft`, which is also the default: confirmation is a separate call.
   * @example "draft"
   */
  @Optional()
  @OneOf(BOOKING_STATUSES)
  status?: BookingStatus;

  /**
   * ISO 4217 code that applies to every price of the booking; immutable once the booking has had an item.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Customer who books (prefix `cus`); must be active. The booking copies the name and contacts that it does not name itself.
   * @example "cus_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('cus')
  customerId?: string | null;

  /**
   * Person or company that pays; the default payer of invoices. Required without `customerId`.
   * @example "Ada Lovelace"
   */
  @Optional()
  @Text({ max: 255 })
  customerName?: string;

  /**
   * Address that receives reminders. An empty string means null.
   * @example "ada@example.com"
   */
  @Clearable()
  @EmailAddress()
  customerEmail?: string | null;

  /**
   * Telephone number of the customer, free text. An empty string means null.
   * @example "+40 240 555 010"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  customerPhone?: string | null;

  /**
   * Language of documents and messages for the customer; null means the language of the company.
   * @example "ro"
   */
  @Clearable()
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  customerLanguage?: string | null;

  /**
   * Postal address of the customer with line breaks. An empty string means null.
   * @example "Strada Republicii 7\n500030 Brasov\nRO"
   */
  @Clearable()
  @Text({ max: 1100, multiline: true, emptyIsNull: true })
  customerAddress?: string | null;

  /**
   * First day of the trip; used as departure date while no item has a service date.
   * @example "2027-05-12"
   */
  @Clearable()
  @IsoDate()
  startDate?: string | null;

  /**
   * Last day of the trip; not before `startDate`.
   * @example "2027-05-16"
   */
  @Clearable()
  @IsoDate()
  endDate?: string | null;

  /**
   * Internal notes of staff; line breaks are allowed.
   * @example "Vegetarian, arrives by train"
   */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;

  /** Payment policy of this booking; null or omitted: the organization's policy applies. */
  @Clearable()
  @Nested(() => PaymentPolicyBody)
  paymentPolicy?: PaymentPolicyBody | null;

  /**
   * Distribution channel that sold the booking (prefix `chan`); must not be archived. Null for a direct sale.
   * @example "chan_01k0dem000e000000000000002"
   */
  @Clearable()
  @Id('chan')
  channelId?: string | null;
}

/** The fields to change. `status` is changed by confirmation, by cancellation and by the server job, not here. */
export class UpdateBooking extends patchOf(
  OmitType(CreateBooking, ['id', 'number', 'status', 'customerName'] as const),
) {
  /**
   * New booking number; must not belong to another booking.
   * @example "TUI-88121"
   */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /**
   * Person or company that pays; existing invoices keep the payer they have.
   * @example "Ada King"
   */
  @Optional()
  @Text({ max: 255 })
  customerName?: string;
}

/** Reason and circumstances of the cancellation of a booking. */
export class CancelBooking {
  /**
   * Stored with the booking, its items and the action ledger entry.
   * @example "The customer fell ill"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;

  /**
   * Day on which the cancellation was declared, which decides the fee; between the confirmation and today (default).
   * @example "2026-11-20"
   */
  @Optional()
  @IsoDate()
  cancelledOn?: string;

  /**
   * Party that ended the sale, `customer` by default. Customers owe a fee only if they cancelled.
   * @example "customer"
   */
  @Optional()
  @OneOf(CANCELLATION_INITIATORS)
  initiator?: CancellationInitiator;

  /** Whether the reminder rules with the trigger `booking_cancelled` inform the customer; true by default. */
  @Optional()
  @Flag()
  informCustomer?: boolean;
}

/** Reason for reversing the cancellation of a booking. */
export class ReinstateBooking {
  /**
   * Stored with the action ledger entry.
   * @example "Cancelled by mistake"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

/** What the confirmation may deviate from. */
export const BOOKING_OVERRIDES = named('BookingOverride', ['credit_limit']);
export type BookingOverride = (typeof BOOKING_OVERRIDES)[number];
const OVERRIDE_RULE = {
  pattern: patternOf(BOOKING_OVERRIDES),
  otherwise: `must be one of ${BOOKING_OVERRIDES.join(', ')}`,
  maxLength: 20,
};

/** The body may be omitted. */
export class ConfirmBooking {
  /**
   * `credit_limit`: the customer, an agency, may owe more than its credit limit. Needs `overrideReason` and the scope
   * `bookings:override`.
   */
  @Optional()
  @Texts({ ...OVERRIDE_RULE, max: BOOKING_OVERRIDES.length, unique: true })
  override?: BookingOverride[];

  /**
   * Reason for using `override`; stored with the action ledger entry.
   * @example "The agency has announced its payment"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  overrideReason?: string;
}

export class ListBookings extends PageQuery {
  /** Only bookings in one of these statuses. */
  @Optional()
  @AnyOf(BOOKING_STATUSES)
  status?: BookingStatus[];

  /**
   * Only bookings whose number, customer name or e-mail address contain each of these words (up to eight), in any order,
   * ignoring case, accents, apostrophes and hyphens.
   */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only bookings whose `departureDate` is this day or later. */
  @Optional()
  @IsoDate()
  startFrom?: string;

  /** Only bookings whose `departureDate` is this day or earlier. */
  @Optional()
  @IsoDate()
  startTo?: string;

  /** Only bookings of this customer (prefix `cus`). */
  @Optional()
  @Id('cus')
  customerId?: string;

  /** Only the booking that this trip became (prefix `trip`). */
  @Optional()
  @Id('trip')
  tripId?: string;

  /** Only bookings that this channel (prefix `chan`) sold. */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Only bookings with an active item on a departure of this product. */
  @Optional()
  @Text({ max: 128 })
  productId?: string;

  /** Only bookings that travel on this day or later: their last day is not earlier. */
  @Optional()
  @IsoDate()
  travelFrom?: string;

  /** Only bookings that travel on this day or earlier: their `departureDate` is not later. */
  @Optional()
  @IsoDate()
  travelTo?: string;

  /** Only bookings created at this instant or later. */
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only bookings created at this instant or earlier. */
  @Optional()
  @Instant()
  createdBefore?: string;

  /**
   * Only bookings with one of these balances: `open`, the customer owes an installment; `overdue`, one that was due before today;
   * `credit`, money of the customer is not applied, even if an installment is open. Needs the scope `finance:receivables`.
   */
  @Optional()
  @AnyOf(BALANCES)
  balance?: Balance[];

  /** Only bookings with an active item on this departure (prefix `dep`). */
  @Optional()
  @Id('dep')
  departureId?: string;

  /**
   * Only bookings with or without missing data of travelers: an active item with a departure has seats without a traveler, a
   * traveler on it has no last name or lacks what the product requires, or a required question that is due has no answer. Ended
   * bookings lack nothing.
   */
  @Optional()
  @QueryFlag()
  travelersIncomplete?: boolean;

  /** Only bookings with or without an item whose tax rate differs from the rate on its service date (`taxRateChanged`). */
  @Optional()
  @QueryFlag()
  taxRateChanged?: boolean;

  /**
   * Sort field, `-createdAt` by default; a leading `-` means descending order. `startDate` means `departureDate`. Bookings
   * without a value come last in either order.
   */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}

/** One policy version that applies to the booking, and the products it covers. */
export class BookingTermsLine {
  /** Subject of the policy; several lines of one kind cover different products. */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** The policy that the version belongs to (prefix `pol`). */
  @Id('pol')
  policyId: string;

  /** The version in force at confirmation (prefix `polv`); its text never changes. */
  @Id('polv')
  policyVersionId: string;

  /** Sequence number of the version within its policy, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  number: number;

  /** SHA-256 (hexadecimal) of the policy version, as listed with the version. */
  @Text({ max: 64 })
  sha256: string;

  /** Products that the line covers; null if it covers everything that no other line of its kind lists. */
  @Texts({ max: 500, maxLength: 128 })
  productIds: string[] | null;
}

/** A customer's order of travel services, in one currency. Its total is the sum of its items. */
export class BookingResponse {
  @Id('book')
  id: string;

  /** Booking number, unique across all bookings; `B-<year>-<6 digits>` if the server assigned it. */
  @Text({ max: 40 })
  number: string;

  /**
   * A server job moves `confirmed` to `in_progress` on the departure date, and `in_progress` to `completed` after the
   * last service date.
   */
  @OneOf(BOOKING_STATUSES)
  status: BookingStatus;

  /** ISO 4217 code that applies to every price of the booking; immutable once it has had an item. */
  @CurrencyCode()
  currency: string;

  /** Sum of `totalSellCents` of the items that are not cancelled, in minor units; null until an item is added. */
  @Cents()
  totalCents: number | null;

  /** Person or company that pays; the default payer of invoices. */
  @Text({ max: 255 })
  customerName: string;

  /** Address that reminders are sent to; null if unknown. */
  @EmailAddress()
  customerEmail: string | null;

  /** Customer who books (prefix `cus`); null for a booking without a customer record. The other members are copies. */
  @Id('cus')
  customerId: string | null;

  /** Trip that became the booking (prefix `trip`); null for other bookings. */
  @Id('trip')
  tripId: string | null;

  /** Telephone number of the customer; null if unknown. */
  @Text({ max: 50 })
  customerPhone: string | null;

  /** Language of documents and messages for the customer; null means the language of the company. */
  @Text({ max: 6 })
  customerLanguage: string | null;

  /** Postal address of the customer; null if unknown. */
  @Text({ max: 1100 })
  customerAddress: string | null;

  /** First day of the trip as entered by staff; null if open. */
  @IsoDate()
  startDate: string | null;

  /** Last day of the trip as entered by staff, not before `startDate`; null if open. */
  @IsoDate()
  endDate: string | null;

  /**
   * Earliest service date of the items that are not cancelled, otherwise `startDate`. Due dates of the payment plan
   * are computed from it.
   */
  @IsoDate()
  departureDate: string | null;

  /**
   * Latest local day of the items that are not cancelled, including the end of their departures; otherwise `endDate`. The
   * booking is completed after this day.
   */
  @IsoDate()
  returnDate: string | null;

  /** Day on which the booking was imported from an earlier system; null if it was made here. */
  @IsoDate()
  takenOverOn: string | null;

  /** Internal notes of staff; null if there are none. */
  @Text({ min: 0, max: 2000 })
  notes: string | null;

  /** Payment policy of this booking; null if the organization's policy applies. */
  @Nested(() => PaymentPolicyResponse)
  paymentPolicy: PaymentPolicyResponse | null;

  /** Distribution channel that sold the booking (prefix `chan`); null for a direct sale. */
  @Id('chan')
  channelId: string | null;

  /** When the booking was confirmed; null for a booking that was never confirmed. */
  @Instant()
  confirmedAt: string | null;

  /** When the booking was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /** Local day of the confirmation; null for a booking that was never confirmed. */
  @IsoDate()
  confirmedOn: string | null;

  /** Local day on which the cancellation was declared, which decides the fee; null unless the status is `cancelled`. */
  @IsoDate()
  cancelledOn: string | null;

  /** Local day on which the cancellation was recorded; null unless the status is `cancelled`. */
  @IsoDate()
  recordedOn: string | null;

  /** Reason given with the cancellation; null unless the booking is cancelled. */
  @Text({ max: 2000 })
  cancelReason: string | null;

  /** Policy versions that were in force when the booking was confirmed; null before confirmation. */
  @ListOf(() => BookingTermsLine, { max: 4000 })
  terms: BookingTermsLine[] | null;

  /** SHA-256 (hexadecimal) of the canonical JSON (RFC 8785) of `terms`; null before confirmation. */
  @Text({ max: 64 })
  termsSha256: string | null;

  /**
   * `provider_cancellation_pending`: an external provider has not cancelled the order of a cancelled item yet.
   * `tax_rate_changed`: the tax code of an item has another rate on the service date; recalculate the taxes of the booking.
   * `due_after_departure`: an open installment is due after the departure.
   */
  @Texts({ max: 10, maxLength: 100 })
  warnings: string[];

  /** Increases with every change of the booking or its items. It is also the ETag; If-Match is compared with it. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class BookingEnvelope extends dataOf(BookingResponse) {}

/** A booking in a list, with what the list shows of its channel, its items and its account. */
export class BookingRow extends BookingResponse {
  /** Name of the channel that sold the booking; null for a direct sale. */
  @Text({ max: 255 })
  channelName: string | null;

  /** Title of the first active item by service date; null without one. */
  @Text({ max: 500 })
  firstTitle: string | null;

  /** People who travel: the most units that the booking has on one departure. */
  @Whole({ min: 0, max: 1_000_000_000 })
  people: number;

  /** Amount that the customer still owes by the payment plan, in minor units; null without the scope `finance:receivables`. */
  @Cents()
  outstandingCents: number | null;

  /**
   * `overdue` if an installment was due before today, `open` if one is due later, `credit` if nothing is owed and money of the customer
   * is not applied, otherwise `settled`; null without the scope `finance:receivables`.
   */
  @OneOf(DUE_STATUSES)
  dueStatus: DueStatus | null;

  /** Day on which the next installment is due; null if none is open, or without the scope `finance:receivables`. */
  @IsoDate()
  nextDueOn: string | null;
}

export class BookingPage extends pageOf(BookingRow) {}

export function toBooking(view: BookingView): BookingResponse {
  return respond(BookingResponse, view, {
    paymentPolicy: view.paymentPolicy && toPolicy(view.paymentPolicy),
    cancelledOn: view.cancellationDeclaredOn ?? view.cancelledOn,
    recordedOn: view.cancelledOn,
    terms: view.terms && view.terms.map(toTermsLine),
    warnings: warningsOf(view),
  });
}

/** Hides what the customer owes unless the caller may see it. */
export function toBookingRow({ view, figures }: ListedBooking, showsAmounts: boolean): BookingRow {
  const { channelName, firstTitle, people, outstandingCents, dueStatus, nextDueOn } = figures;
  const account = { outstandingCents, dueStatus, nextDueOn };
  const hidden = { outstandingCents: null, dueStatus: null, nextDueOn: null };
  return { ...toBooking(view), channelName, firstTitle, people, ...(showsAmounts ? account : hidden) };
}

function toTermsLine(line: TermsLine): BookingTermsLine {
  const { kind, policyId, policyVersionId, number, sha256, productIds } = line;
  return { kind, policyId, policyVersionId, number, sha256, productIds };
}

function warningsOf({ isCancellingAtSupplier, isTaxRateChanged, isDueAfterDeparture }: BookingView): string[] {
  return [
    ...(isCancellingAtSupplier ? ['provider_cancellation_pending'] : []),
    ...(isTaxRateChanged ? ['tax_rate_changed'] : []),
    ...(isDueAfterDeparture ? ['due_after_departure'] : []),
  ];
}
