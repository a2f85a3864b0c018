import type { Listeners } from '../../../platform/discovery/listeners.js';
import type { LiveTrigger } from './reminder-trigger.js';

/** The subject of a reminder: an open installment or invoice, or a booking. */
export interface ReminderTarget {
  trigger: LiveTrigger;
  /** Id of the booking, the installment or the invoice itself. */
  targetId: string;
  bookingId: string;
  /** The day from which stages count. */
  anchorDate: string;
}

/** A departure of a booking with another start or meeting point. */
export interface ChangedDeparture {
  title: string;
  timeZone: string;
  from: { startsAt: Date; place: string | null };
  to: { startsAt: Date; place: string | null };
}

/** The money of a cancelled booking, in minor units; null while the fee is not decided. */
export interface CancellationMoney {
  currency: string;
  feeCents: number | null;
  /** The part of the fee that the customer has not paid. */
  openFeeCents: number | null;
  /** Money of the customer beyond the fee. */
  restCents: number | null;
  /** Whether the rest is refunded, or kept as a credit of the customer. */
  outcome: 'refund' | 'credit';
}

/** The target immediately before a message is sent. */
export interface DueTarget extends ReminderTarget {
  bookingNumber: string;
  customerName: string;
  customerEmail: string | null;
  /** The message is not sent before this instant, because its subject can still change; absent if it cannot. */
  waitsUntil?: Date;
  /** The days of departure, if the reminder concerns a move, and the departures that have moved. */
  moved?: { from: string; to: string; departures: readonly ChangedDeparture[] };
  /** The fee and the rest, if the reminder concerns a cancellation. */
  cancellation?: CancellationMoney;
  /**
   * The amount requested by the message: the open and due amount, less the customer's unallocated money, and at least 0. Null
   * if the reminder does not concern a payment.
   */
  ask: { cents: number; currency: string } | null;
}

export interface TargetPage {
  trigger: LiveTrigger;
  /** Only targets with a greater id; null for the first page. */
  afterId: string | null;
  limit: number;
  /** Only targets with one of these anchor dates; null for all. */
  anchorDates: readonly string[] | null;
}

/** Provides the targets of some triggers. The module that owns the targets implements it with `@Listens(ReminderSource, ...)`. */
export abstract class ReminderSource {
  abstract readonly triggers: readonly LiveTrigger[];
  /**
   * Returns a page of the open targets by id, with one statement. In a transaction it locks their bookings (`for key share`),
   * so that none is paid between reading and planning.
   */
  abstract page(page: TargetPage): Promise<ReminderTarget[]>;
  /** Returns the open targets of these bookings for these triggers, which all belong to this source. */
  abstract ofBookings(bookingIds: readonly string[], triggers: readonly LiveTrigger[]): Promise<ReminderTarget[]>;
  /** Returns the current target; null if it is no longer open. */
  abstract read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null>;
}

/** Returns null if no module provides targets of this trigger. */
export function findSource(listeners: Listeners, trigger: LiveTrigger): ReminderSource | null {
  return listeners.all(ReminderSource).find(({ triggers }) => triggers.includes(trigger)) ?? null;
}
