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

/** The target as it is immediately before a message is sent. */
export interface DueTarget extends ReminderTarget {
  bookingNumber: string;
  customerName: string;
  customerEmail: string | null;
  /** The message is not sent before this instant, because its subject is not settled yet; absent if it is. */
  waitsUntil?: Date;
  /** The days of departure, if the reminder is about a move. */
  moved?: { from: string; to: string };
  /**
   * The amount that the message asks for: what is open and due, less money of the customer that settles nothing; 0 if that
   * covers it. Null if the reminder is not about a payment.
   */
  ask: { cents: number; currency: string } | null;
}

export interface TargetPage {
  trigger: LiveTrigger;
  /** Only targets with a greater id; null: from the first. */
  afterId: string | null;
  limit: number;
  /** Only targets with one of these anchor dates; null: all. */
  anchorDates: readonly string[] | null;
}

/** Provides the targets of some triggers. The module that owns the targets implements it with `@Listens(ReminderSource, ...)`. */
export abstract class ReminderSource {
  abstract readonly triggers: readonly LiveTrigger[];
  /**
   * A page of the open targets by id, in one statement. In a transaction it locks their bookings (`for key share`), so that
   * none is paid between being read and being planned for.
   */
  abstract page(page: TargetPage): Promise<ReminderTarget[]>;
  /** The open targets of these bookings for these triggers, which are all of this source. */
  abstract ofBookings(bookingIds: readonly string[], triggers: readonly LiveTrigger[]): Promise<ReminderTarget[]>;
  /** The target as it is now; null if it is no longer open. */
  abstract read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null>;
}

/** Null if no module provides targets of this trigger. */
export function findSource(listeners: Listeners, trigger: LiveTrigger): ReminderSource | null {
  return listeners.all(ReminderSource).find(({ triggers }) => triggers.includes(trigger)) ?? null;
}
