import { dataOf } from '../../../platform/http/dto.js';
import { Cents, ListOf, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { BoardDeparture } from '../departures/board.dto.js';

export const MAX_DEPARTURES = 50;
export const MAX_ATTENTION = 20;
const MAX_ROWS = 10_000;

const DASHBOARD_ATTENTION = extensible('DashboardAttention', [
  'minimum_not_reached',
  'payment_overdue',
  'message_failed',
  'supplier_invoice_to_approve',
  'money_unapplied',
]);
export const DASHBOARD_PARTS = extensible('DashboardPart', ['departures', 'money', 'attention', 'sales']);
type DashboardPart = (typeof DASHBOARD_PARTS)[number];
const DASHBOARD_SUBJECTS = extensible('DashboardSubject', ['departure', 'booking', 'message', 'supplier_invoice']);

/** What customers owe by the week in which it is due. */
export class DashboardWeek {
  /** Monday of the week. */
  @IsoDate()
  weekStart: string;

  /** Currency of the amount. */
  @CurrencyCode()
  currency: string;

  /** Open amount of the installments of the week that are due today or later, in minor units. */
  @Cents()
  dueCents: number;

  /** Open amount of the installments of the week that were due before today, in minor units. */
  @Cents()
  overdueCents: number;
}

/** Something that needs the attention of staff. */
export class DashboardNotice {
  /**
   * `minimum_not_reached`: the decision whether a departure runs is due; `payment_overdue`: an installment has been overdue for more
   * than 14 days; `message_failed`: a mail of the last 14 days could not be delivered; `supplier_invoice_to_approve`: a draft is due
   * within 7 days; `money_unapplied`: money of a customer is not applied.
   */
  @OneOf(DASHBOARD_ATTENTION)
  code: (typeof DASHBOARD_ATTENTION)[number];

  /** Kind of the record. */
  @OneOf(DASHBOARD_SUBJECTS)
  subjectType: (typeof DASHBOARD_SUBJECTS)[number];

  /** Record that the notice is about. */
  @Text({ max: 128 })
  subjectId: string;

  /** Product of the departure, number of the booking or invoice, or kind of the message. */
  @Text({ max: 500 })
  title: string;

  /** Day since which it needs attention, or on which it is due; null if there is none. */
  @IsoDate()
  day: string | null;

  /** Amount concerned, in minor units; null if there is none. */
  @Cents()
  amountCents: number | null;

  /** Currency of the amount; null if there is none. */
  @CurrencyCode()
  currency: string | null;
}

/** What was sold on a day. */
export class DashboardSales {
  /** Day of the confirmations. */
  @IsoDate()
  day: string;

  /** Currency of the bookings. */
  @CurrencyCode()
  currency: string;

  /** Bookings that were confirmed, without those cancelled since. */
  @Whole({ min: 0, max: 1_000_000_000 })
  bookings: number;

  /** Present total of these bookings, in minor units. */
  @Cents()
  totalCents: number;
}

/** A part that was left out. */
export class WithheldPart {
  /** Name of the part. */
  @OneOf(DASHBOARD_PARTS)
  part: DashboardPart;
}

/** The day at the desk. */
export class Dashboard {
  /** Today in the time zone of the organization. */
  @IsoDate()
  today: string;

  /** The first 50 departures of the next seven days, today included; needs `operations:read`. */
  @ListOf(() => BoardDeparture, { max: MAX_DEPARTURES })
  departures: BoardDeparture[];

  /**
   * Open installments by week and currency, from four weeks before this one to eight after it, weeks without any left out; needs
   * `finance:receivables`.
   */
  @ListOf(() => DashboardWeek, { max: MAX_ROWS })
  money: DashboardWeek[];

  /**
   * At most 20 notices, the most urgent first. Departures need `operations:read`, what customers owe `finance:receivables`, messages
   * `notifications:read`, supplier invoices `finance:read`.
   */
  @ListOf(() => DashboardNotice, { max: MAX_ATTENTION })
  attention: DashboardNotice[];

  /** Confirmed bookings of the last 180 days by day and currency, days without any left out; needs `bookings:read`. */
  @ListOf(() => DashboardSales, { max: MAX_ROWS })
  sales: DashboardSales[];

  /** Parts that are empty because the caller may not read them. */
  @ListOf(() => WithheldPart, { max: DASHBOARD_PARTS.length })
  withheld: WithheldPart[];
}

export class DashboardEnvelope extends dataOf(Dashboard) {}
