import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { Listens } from '../../../../platform/discovery/listeners.js';
import { BookingsService } from '../../../bookings/index.js';
import {
  type DueTarget,
  type LiveTrigger,
  ReminderSource,
  type ReminderTarget,
  type TargetPage,
} from '../../../notifications/index.js';
import { ASKABLE, REMINDER_TARGETS, type ReminderTargets, selectOf } from './reminder-target.sql.js';

type Row = ReminderTarget & ({ cents: number; currency: string } | { cents: null; currency: null });

/** Provides open installments and invoices, and paid bookings, as targets of reminders. */
@Injectable()
@Listens(ReminderSource, 20)
export class FinanceReminderSource implements ReminderSource {
  readonly triggers = REMINDER_TARGETS.flatMap(({ triggers }) => triggers);

  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
  ) {}

  async page({ trigger, afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    const targets = targetsOf(trigger);
    return this.database.query<Row>(
      `${selectOf(targets)} and ${targets.trigger} = $1 and ${targets.id} > $2
         and ($4::date[] is null or ${targets.anchorDate} = any($4))
       order by ${targets.id} limit $3 for key share of booking`,
      [trigger, afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[], triggers: readonly LiveTrigger[]): Promise<ReminderTarget[]> {
    const found: ReminderTarget[] = [];
    for (const targets of new Set(triggers.map(targetsOf))) {
      const rows = await this.database.query<Row>(
        `${selectOf(targets)} and booking.id = any($1) and ${targets.trigger} = any($2::text[]) order by ${targets.id}`,
        [bookingIds, triggers],
      );
      found.push(...rows);
    }
    return found;
  }

  async read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const targets = targetsOf(trigger);
    const [row] = await this.database.query<Row>(`${selectOf(targets)} and ${targets.id} = $1`, [targetId]);
    if (!row) return null;
    const { cents, currency, ...target } = row;
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.getSummary(target.bookingId);
    const ask = cents === null ? null : { cents: await this.askOf(target, cents), currency };
    return { ...target, bookingNumber, customerName, customerEmail, ask };
  }

  /** Returns the amount that the reminder requests; 0 if unapplied money of the customer covers it. */
  private async askOf({ bookingId, anchorDate, trigger }: ReminderTarget, outstandingCents: number): Promise<number> {
    const [found] = await this.database.query<{ askableCents: number; elsewhereCents: number }>(ASKABLE, [
      bookingId,
      anchorDate,
      trigger === 'invoice_due',
    ]);
    const { askableCents = 0, elsewhereCents = 0 } = found ?? {};
    const askCents = Math.max(0, Math.min(outstandingCents, askableCents));
    return elsewhereCents >= askCents ? 0 : askCents;
  }
}

function targetsOf(trigger: LiveTrigger): ReminderTargets {
  const targets = REMINDER_TARGETS.find(({ triggers }) => triggers.includes(trigger));
  if (!targets) throw new Error(`Finance has no targets of the trigger ${trigger}`);
  return targets;
}
