import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Bookings } from '../../bookings/index.js';
import {
  type DueTarget,
  type LiveTrigger,
  type ReminderSource,
  ReminderSources,
  type ReminderTarget,
  type TargetPage,
} from '../../notifications/index.js';

const TRIGGER = `case entry.type when 'deposit' then 'deposit_due' when 'balance' then 'balance_due'
  else 'installment_due' end`;
// The booking is joined to be kept from changing: its row is what everybody holds who touches an installment.
const OPEN = `select entry.id as "targetId", entry.booking_id as "bookingId", entry.due_date as "anchorDate",
    ${TRIGGER} as trigger, (entry.amount_cents - entry.paid_cents)::float8 as cents, entry.currency
  from payment_schedules entry join bookings booking on booking.id = entry.booking_id
  where entry.status = 'pending' and entry.paid_cents < entry.amount_cents and booking.status <> 'cancelled'`;

type Row = ReminderTarget & { cents: number; currency: string };

/** Open installments, of which people are reminded by their due date. */
@Injectable()
export class ScheduleTargets implements ReminderSource, OnModuleInit {
  readonly kind = 'schedule';
  readonly triggers: readonly LiveTrigger[] = ['deposit_due', 'balance_due', 'installment_due'];

  constructor(
    private readonly database: Database,
    private readonly bookings: Bookings,
    private readonly sources: ReminderSources,
  ) {}

  onModuleInit(): void {
    this.sources.register(this);
  }

  async page({ trigger, afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    return this.database.query<Row>(
      `${OPEN} and ${TRIGGER} = $1 and entry.id > $2 and ($4::date[] is null or entry.due_date = any($4))
       order by entry.id limit $3 for key share of booking`,
      [trigger, afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]> {
    return this.database.query<Row>(`${OPEN} and entry.booking_id = any($1) order by entry.id`, [bookingIds]);
  }

  async read(_: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const [row] = await this.database.query<Row>(`${OPEN} and entry.id = $1`, [targetId]);
    if (!row) return null;
    const { cents, currency, ...target } = row;
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.read(target.bookingId);
    return { ...target, bookingNumber, customerName, customerEmail, outstanding: { cents, currency } };
  }
}
