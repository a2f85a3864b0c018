import { PartialType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant } from '../../../platform/http/trade-fields.js';
import { SETTLEMENT_CHOICES, type SettlementChoice } from '../../finance/index.js';
import { CALL_OFF_REASONS, type CallOffReason } from '../../operations/index.js';
import {
  type CallOffItem,
  ITEM_ACTIONS,
  ITEM_STATUSES,
  type ItemAction,
  type ItemStatus,
} from './call-off-item.entity.js';
import {
  CALL_OFF_ACTIONS,
  CALL_OFF_STATUSES,
  type CallOff,
  type CallOffAction,
  type CallOffStatus,
} from './call-off.entity.js';

const MAX_BOOKINGS = 1_000;
const MAX_COUNT = Number.MAX_SAFE_INTEGER;
const MAX_TEXT = 2_000;
const MAX_FAILURES = 200;
const MAX_TARGETS = 1_001;

export const CALL_OFF_WARNINGS = extensible('CallOffWarningCode', ['refund_due', 'not_notified']);
export type CallOffWarningCode = (typeof CALL_OFF_WARNINGS)[number];

/** What happens with a booking of the departure. */
export class CallOffTreatment {
  /**
   * `move` moves the booking to another departure at the same price. `cancel` cancels its services of the departure without a fee,
   * or the whole booking if no other unit of it is live. `keep` leaves it unchanged and creates a task for staff.
   * @example "cancel"
   */
  @OneOf(CALL_OFF_ACTIONS)
  action: CallOffAction;

  /** Departure to which bookings move (prefix `dep`); required for `move`. */
  @Optional()
  @Id('dep')
  targetDepartureId?: string;

  /**
   * What happens with money that the cancellation frees: a requested refund, a credit of the customer, or nothing until staff
   * settle it. Only for `cancel`, where it is `refund` by default.
   * @example "refund"
   */
  @Optional()
  @OneOf(SETTLEMENT_CHOICES)
  settle?: SettlementChoice;

  /** Whether moved bookings get the price of today on the other departure. Only for `move`; false by default. */
  @Optional()
  @Flag()
  reprice?: boolean;
}

/** What happens with one booking instead of the default. */
export class CallOffOverride extends CallOffTreatment {
  /** Booking with a live item on the departure (prefix `book`); named at most once. */
  @Id('book')
  bookingId: string;
}

/** The mail that each customer gets. */
export class CallOffMessage {
  /**
   * Text that is added to the mail.
   * @example "Call us for another day: +40 21 000 0000"
   */
  @Optional()
  @Text({ max: MAX_TEXT, multiline: true })
  note?: string;
}

/** A departure that is called off, and what happens with its bookings. */
export class CreateCallOff {
  /**
   * Why the departure does not run. With `force_majeure` cancellations are recorded as such, otherwise as the operator's.
   * @example "weather"
   */
  @OneOf(CALL_OFF_REASONS)
  reasonCode: CallOffReason;

  /**
   * The reason in words: of the departure, of each cancellation and of each refund.
   * @example "Gale warning for the whole coast"
   */
  @Text({ max: MAX_TEXT, multiline: true })
  reason: string;

  /** What happens with each booking that `overrides` does not name. */
  @Nested(() => CallOffTreatment)
  default: CallOffTreatment;

  /** What happens with these bookings instead. */
  @Optional()
  @ListOf(() => CallOffOverride, { max: MAX_BOOKINGS })
  overrides?: CallOffOverride[];

  /** The mail to each customer, sent when the booking has changed; null sends none. A mail without a note by default. */
  @Clearable()
  @Nested(() => CallOffMessage)
  message?: CallOffMessage | null;
}

/** What is to happen with a pending item instead. */
export class UpdateCallOffItem extends patchOf(CallOffTreatment) {}

/** The failed items to repeat. The body may be omitted: then all of them as they were. */
export class RetryCallOff extends PartialType(CallOffTreatment, { skipNullProperties: false }) {
  /** Items that failed (prefix `coit`); all failed ones by default. */
  @Optional()
  @Texts({ min: 1, max: MAX_BOOKINGS, maxLength: 32, unique: true })
  itemIds?: string[];
}

/** Reason for abandoning a call-off. */
export class AbandonCallOff {
  /**
   * Stored with the action ledger entry.
   * @example "The gale passed in the night"
   */
  @Text({ max: MAX_TEXT, multiline: true })
  reason: string;
}

export class ListCallOffs extends PageQuery {
  /** Only call-offs in one of these states. */
  @Optional()
  @AnyOf(CALL_OFF_STATUSES)
  status?: CallOffStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

export class ListCallOffItems extends PageQuery {
  /** Only items in one of these states. */
  @Optional()
  @AnyOf(ITEM_STATUSES)
  status?: ItemStatus[];

  /** Only items with one of these actions. */
  @Optional()
  @AnyOf(ITEM_ACTIONS)
  action?: ItemAction[];

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'createdAt', 'updatedAt'])
  sort?: string;
}

/** A booking or trip of a call-off, and what happened with it. */
export class CallOffItemResponse {
  @Id('coit')
  id: string;

  /** Order in which the items are worked on. */
  @Whole({ min: 1, max: MAX_COUNT })
  position: number;

  /** Booking of the item (prefix `book`); null for a trip. */
  @Id('book')
  bookingId: string | null;

  /** Number of the booking; null for a trip. */
  @Text({ max: 50 })
  bookingNumber: string | null;

  /** Trip whose reservation ends (prefix `trip`); null for a booking. */
  @Id('trip')
  envelopeId: string | null;

  /** What happens with it; `release` ends the reservation of a trip. */
  @OneOf(ITEM_ACTIONS)
  action: ItemAction;

  /** Departure to which the booking moves; null unless the action is `move`. */
  @Id('dep')
  targetDepartureId: string | null;

  /** What happens with its money; null unless the action is `cancel`. */
  @OneOf(SETTLEMENT_CHOICES)
  settle: SettlementChoice | null;

  /** Whether a moved booking gets the price of today. */
  @Flag()
  reprice: boolean;

  /** `skipped`: in the meantime it has left the departure in another way, or the call-off was abandoned. */
  @OneOf(ITEM_STATUSES)
  status: ItemStatus;

  /** The error code of a failed item; `left_departure` or `abandoned` if it was skipped; otherwise null. */
  @Text({ max: 100 })
  code: string | null;

  /** People of the booking on the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  people: number;

  /** Units that it had on the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  units: number;

  /** Currency of the amounts. */
  @CurrencyCode()
  currency: string;

  /** Price of its services on the departure. */
  @Cents()
  totalCents: number;

  /** Settlement of the cancellation (prefix `cset`); null if the booking was not cancelled as a whole. */
  @Id('cset')
  settlementId: string | null;

  /** Requested refund (prefix `pay`); null if there is none. */
  @Id('pay')
  refundId: string | null;

  /** Amount of the requested refund. */
  @Cents()
  refundedCents: number;

  /** Money that stays as a credit of the customer. */
  @Cents()
  creditedCents: number;

  /** Money that staff have to settle. */
  @Cents()
  openCents: number;

  /** Mail to the customer (prefix `nmsg`); null if none was sent, or if no address is known. */
  @Id('nmsg')
  messageId: string | null;

  /** How often it was tried. */
  @Whole({ min: 0, max: MAX_COUNT })
  attempts: number;

  /** When it was done, failed or skipped; null while it is pending. */
  @Instant()
  endedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Items of one action and state. */
export class CallOffCount {
  /** What happens with them. */
  @OneOf(ITEM_ACTIONS)
  action: ItemAction;

  /** Their state. */
  @OneOf(ITEM_STATUSES)
  status: ItemStatus;

  /** Number of bookings or trips. */
  @Whole({ min: 0, max: MAX_COUNT })
  items: number;

  /** Their people on the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  people: number;

  /** Their units of the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  units: number;
}

/** Amounts of one currency. */
export class CallOffAmounts {
  /** Currency of the amounts. */
  @CurrencyCode()
  currency: string;

  /** Price of the services of the departure. */
  @Cents()
  totalCents: number;

  /** Requested refunds. */
  @Cents()
  refundedCents: number;

  /** Money that stays as credits of customers. */
  @Cents()
  creditedCents: number;

  /** Money that staff have to settle. */
  @Cents()
  openCents: number;
}

/** Something to check about a call-off. */
export class CallOffWarning {
  /**
   * `refund_due`: the departure is a package in the sense of Directive (EU) 2015/2302, whose payments must be refunded within 14 days,
   * but some are left to staff. `not_notified`: customers get no mail.
   */
  @OneOf(CALL_OFF_WARNINGS)
  code: CallOffWarningCode;
}

/** A departure that is called off, with its progress and a report of what has happened. */
export class CallOffResponse {
  @Id('coff')
  id: string;

  /** Departure that does not run (prefix `dep`). */
  @Id('dep')
  departureId: string;

  /** `completed_with_failures`: every item was tried; those that failed can be repeated with another action. */
  @OneOf(CALL_OFF_STATUSES)
  status: CallOffStatus;

  /** Why the departure does not run. */
  @OneOf(CALL_OFF_REASONS)
  reasonCode: CallOffReason;

  /** The reason in words. */
  @Text({ max: MAX_TEXT, multiline: true })
  reason: string;

  /** What happens with bookings without another decision. */
  @OneOf(CALL_OFF_ACTIONS)
  action: CallOffAction;

  /** Departure to which they move; null unless the action is `move`. */
  @Id('dep')
  targetDepartureId: string | null;

  /** What happens with their money; null unless the action is `cancel`. */
  @OneOf(SETTLEMENT_CHOICES)
  settle: SettlementChoice | null;

  /** Whether moved bookings get the price of today. */
  @Flag()
  reprice: boolean;

  /** Whether customers get a mail. */
  @Flag()
  mails: boolean;

  /** Text that is added to the mails; null if there is none. */
  @Text({ max: MAX_TEXT, multiline: true })
  note: string | null;

  /** Number of items: bookings and reserved trips. */
  @Whole({ min: 0, max: MAX_COUNT })
  total: number;

  /** Items that are done. */
  @Whole({ min: 0, max: MAX_COUNT })
  done: number;

  /** Items that failed. */
  @Whole({ min: 0, max: MAX_COUNT })
  failed: number;

  /** Items that were skipped. */
  @Whole({ min: 0, max: MAX_COUNT })
  skipped: number;

  /** The items by action and state. */
  @ListOf(() => CallOffCount, { max: 16 })
  counts: CallOffCount[];

  /** The amounts of items that are done, by currency. */
  @ListOf(() => CallOffAmounts, { max: 200 })
  amounts: CallOffAmounts[];

  /** What to check. */
  @ListOf(() => CallOffWarning, { max: 10 })
  warnings: CallOffWarning[];

  /** When every item had been tried, or the call-off was abandoned; null while it runs or is paused. */
  @Instant()
  endedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** The expected result of one action. */
export class CallOffForecast {
  /** What would happen. */
  @OneOf(ITEM_ACTIONS)
  action: ItemAction;

  /** Bookings or trips with this action. */
  @Whole({ min: 0, max: MAX_COUNT })
  items: number;

  /** How many of them would fail. */
  @Whole({ min: 0, max: MAX_COUNT })
  failing: number;

  /** Their people on the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  people: number;

  /** Their units of the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  units: number;
}

/** A departure to which bookings would move. */
export class CallOffTarget {
  /** Departure that takes them (prefix `dep`). */
  @Id('dep')
  departureId: string;

  /** Units in its pool now; slots of allotments have more. */
  @Whole({ min: 0, max: MAX_COUNT })
  available: number;

  /** Units of all bookings that are to move there. */
  @Whole({ min: 0, max: MAX_COUNT })
  wanted: number;

  /** Units of those that fit. */
  @Whole({ min: 0, max: MAX_COUNT })
  fitting: number;
}

/** A booking that would fail. */
export class CallOffFailure {
  /** Booking that would stay on the departure (prefix `book`). */
  @Id('book')
  bookingId: string;

  /** Its number. */
  @Text({ max: 50 })
  bookingNumber: string;

  /** The error code of the item. */
  @Text({ max: 100 })
  code: string;
}

/** What calling off the departure would do now. */
export class CallOffPreviewResponse {
  /** Bookings with live services on the departure. */
  @Whole({ min: 0, max: MAX_COUNT })
  bookings: number;

  /** Reserved trips that hold units of it. */
  @Whole({ min: 0, max: MAX_COUNT })
  trips: number;

  /** People of the bookings. */
  @Whole({ min: 0, max: MAX_COUNT })
  people: number;

  /** Units of bookings and trips. */
  @Whole({ min: 0, max: MAX_COUNT })
  units: number;

  /** The items by action. */
  @ListOf(() => CallOffForecast, { max: 4 })
  actions: CallOffForecast[];

  /** The amounts of items that would not fail, by currency. */
  @ListOf(() => CallOffAmounts, { max: 200 })
  amounts: CallOffAmounts[];

  /** The departures to which bookings would move. */
  @ListOf(() => CallOffTarget, { max: MAX_TARGETS })
  targets: CallOffTarget[];

  /** The first 200 bookings that would fail. */
  @ListOf(() => CallOffFailure, { max: MAX_FAILURES })
  failures: CallOffFailure[];

  /** What to check. */
  @ListOf(() => CallOffWarning, { max: 10 })
  warnings: CallOffWarning[];
}

export class CallOffEnvelope extends dataOf(CallOffResponse) {}
export class CallOffPage extends pageOf(CallOffResponse) {}
export class CallOffItemEnvelope extends dataOf(CallOffItemResponse) {}
export class CallOffItemPage extends pageOf(CallOffItemResponse) {}
export class CallOffPreviewEnvelope extends dataOf(CallOffPreviewResponse) {}

/** Items of a call-off with the same action, state and currency. */
export interface ReportRow extends CallOffAmounts {
  action: ItemAction;
  status: ItemStatus;
  items: number;
  people: number;
  units: number;
}

export interface CallOffView {
  callOff: CallOff;
  report: readonly ReportRow[];
  warnings: readonly CallOffWarningCode[];
}

export interface CallOffItemView {
  item: CallOffItem;
  bookingNumber: string | null;
}

export function toCallOff({ callOff, report, warnings }: CallOffView): CallOffResponse {
  const itemsIn = (status: ItemStatus) => sum(report.filter((row) => row.status === status).map(({ items }) => items));
  const done = report.filter(({ status }) => status === 'done');
  return respond(CallOffResponse, callOff, {
    total: sum(report.map(({ items }) => items)),
    ...{ done: itemsIn('done'), failed: itemsIn('failed'), skipped: itemsIn('skipped') },
    counts: countsOf(report),
    amounts: amountsOf(done),
    warnings: warnings.map((code) => ({ code })),
  });
}

export function toCallOffItem({ item, bookingNumber }: CallOffItemView): CallOffItemResponse {
  return respond(CallOffItemResponse, item, { bookingNumber });
}

/** Adds up the amounts of each currency. */
export function amountsOf(rows: readonly CallOffAmounts[]): CallOffAmounts[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    return {
      currency,
      totalCents: sum(own.map(({ totalCents }) => totalCents)),
      refundedCents: sum(own.map(({ refundedCents }) => refundedCents)),
      creditedCents: sum(own.map(({ creditedCents }) => creditedCents)),
      openCents: sum(own.map(({ openCents }) => openCents)),
    };
  });
}

function countsOf(report: readonly ReportRow[]): CallOffCount[] {
  const counts = new Map<string, CallOffCount>();
  for (const { action, status, items, people, units } of report) {
    const key = `${action} ${status}`;
    const count = counts.get(key) ?? { action, status, items: 0, people: 0, units: 0 };
    counts.set(key, {
      ...count,
      items: count.items + items,
      people: count.people + people,
      units: count.units + units,
    });
  }
  return [...counts.values()];
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
