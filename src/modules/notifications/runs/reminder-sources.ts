import { Injectable } from '@nestjs/common';
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

/** What reminders ask of those who own targets. */
export interface ReminderSource {
  readonly kind: TargetKind;
  readonly triggers: readonly LiveTrigger[];
  /**
   * A page of the open targets by id, in one statement. In a transaction it keeps their bookings from changing until that
   * ends (`for key share`), so that nobody is paid off between being read and being planned for.
   */
  page(page: TargetPage): Promise<ReminderTarget[]>;
  /** The open targets of these bookings. */
  ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]>;
  /** The target as it is now; null once it is not open any more. */
  read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null>;
}

/** Those who own targets register at boot. */
@Injectable()
export class ReminderSources {
  private readonly sources: ReminderSource[] = [];

  /** Call it in `onModuleInit`. */
  register(source: ReminderSource): void {
    this.sources.push(source);
  }

  /** Null where nobody has registered. */
  find(trigger: LiveTrigger): ReminderSource | null {
    return this.sources.find(({ triggers }) => triggers.includes(trigger)) ?? null;
  }
}
