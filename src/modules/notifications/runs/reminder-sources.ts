import { Injectable } from '@nestjs/common';
import { Listeners } from '../../../platform/discovery/listeners.js';
import type { LiveTrigger } from '../rules/reminder-trigger.js';

export type TargetKind = 'booking' | 'schedule' | 'invoice';

/** What somebody may have to be reminded of: an open installment or invoice, or a booking. */
export interface ReminderTarget {
  trigger: LiveTrigger;
  /** Of the booking, the installment or the invoice itself. */
  targetId: string;
  bookingId: string;
  /** The day from which stages count. */
  anchorDate: string;
}

/** The target as it is right before a message is made of it. */
export interface DueTarget extends ReminderTarget {
  bookingNumber: string;
  customerName: string;
  customerEmail: string | null;
  /** What is still to be paid, where that is what it is about. */
  outstanding: { cents: number; currency: string } | null;
}

export interface TargetPage {
  trigger: LiveTrigger;
  /** Pass over what comes before this id, and over itself; null: from the first. */
  afterId: string | null;
  limit: number;
  /** Only those with one of these anchor dates; null: all. */
  anchorDates: readonly string[] | null;
}

/** Provides the targets of some triggers. The module that owns the targets implements it with `@Listens(ReminderSource, ...)`. */
export abstract class ReminderSource {
  abstract readonly kind: TargetKind;
  abstract readonly triggers: readonly LiveTrigger[];
  /**
   * A page of the open targets by id, in one statement. In a transaction it locks their bookings (`for key share`), so that
   * none is paid between being read and being planned for.
   */
  abstract page(page: TargetPage): Promise<ReminderTarget[]>;
  /** The open targets of these bookings. */
  abstract ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]>;
  /** The target as it is now; null if it is no longer open. */
  abstract read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null>;
}

/** Finds the source of a trigger. */
@Injectable()
export class ReminderSources {
  private readonly registered: ReminderSource[] = [];

  constructor(private readonly listeners: Listeners) {}

  register(source: ReminderSource): void {
    this.registered.push(source);
  }

  /** Null if no module provides targets of this trigger. */
  find(trigger: LiveTrigger): ReminderSource | null {
    const sources = [...this.listeners.all(ReminderSource), ...this.registered];
    return sources.find(({ triggers }) => triggers.includes(trigger)) ?? null;
  }
}
