import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { BookingsService } from '../../bookings/index.js';
import {
  type DueTarget,
  type ReminderSource,
  ReminderSources,
  type ReminderTarget,
  type TargetPage,
} from '../../notifications/index.js';
import { MONEY_TARGETS, type MoneyTargets, selectOf } from './money-target.sql.js';

type Row = ReminderTarget & ({ cents: number; currency: string } | { cents: null; currency: null });

/** Tells reminders of the installments, the invoices and the paid bookings that they are about. */
@Injectable()
export class MoneyTargetSources implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly sources: ReminderSources,
  ) {}

  onModuleInit(): void {
    for (const targets of MONEY_TARGETS) this.sources.register(this.sourceOf(targets));
  }

  private sourceOf(targets: MoneyTargets): ReminderSource {
    const { kind, triggers, id, anchorDate, trigger } = targets;
    const select = selectOf(targets);
    const page = `${select} and ${trigger} = $1 and ${id} > $2 and ($4::date[] is null or ${anchorDate} = any($4))
      order by ${id} limit $3 for key share of booking`;
    return {
      kind,
      triggers,
      page: ({ trigger: wanted, afterId, limit, anchorDates }: TargetPage) =>
        this.find(page, [wanted, afterId ?? '', limit, anchorDates]),
      ofBookings: (bookingIds) => this.find(`${select} and booking.id = any($1) order by ${id}`, [bookingIds]),
      read: async (_, targetId) => {
        const [row] = await this.database.query<Row>(`${select} and ${id} = $1`, [targetId]);
        return row ? this.dueOf(row) : null;
      },
    };
  }

  private async find(text: string, values: unknown[]): Promise<ReminderTarget[]> {
    return this.database.query<Row>(text, values);
  }

  private async dueOf({ cents, currency, ...target }: Row): Promise<DueTarget> {
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.getSummary(target.bookingId);
    const outstanding = cents === null ? null : { cents, currency };
    return { ...target, bookingNumber, customerName, customerEmail, outstanding };
  }
}
