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

/** Every installment is settled, and some money came: the day on which the last of it did is the anchor. */
const PAID = `select booking.id as "targetId", booking.id as "bookingId", money.last_on as "anchorDate",
    'payment_complete' as trigger
  from bookings booking
  join payment_plans plan on plan.booking_id = booking.id and plan.is_current
  join lateral (
    select max(share.effective_on) as last_on
    from payment_schedules entry join payment_allocations share on share.schedule_id = entry.id
    where entry.plan_id = plan.id and entry.status = 'paid' and share.reverses_id is null
      and not exists (select from payment_allocations undone where undone.reverses_id = share.id)
  ) money on money.last_on is not null
  where booking.status not in ('draft', 'cancelled')
    and not exists (select from payment_schedules entry where entry.plan_id = plan.id and entry.status = 'pending')`;

/** Bookings that are paid in full. */
@Injectable()
export class PaidBookingTargets implements ReminderSource, OnModuleInit {
  readonly kind = 'booking';
  readonly triggers: readonly LiveTrigger[] = ['payment_complete'];

  constructor(
    private readonly database: Database,
    private readonly bookings: Bookings,
    private readonly sources: ReminderSources,
  ) {}

  onModuleInit(): void {
    this.sources.register(this);
  }

  async page({ afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(
      `${PAID} and booking.id > $1 and ($3::date[] is null or money.last_on = any($3))
       order by booking.id limit $2 for key share of booking`,
      [afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(`${PAID} and booking.id = any($1)`, [bookingIds]);
  }

  async read(_: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const [target] = await this.ofBookings([targetId]);
    if (!target) return null;
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.read(targetId);
    return { ...target, bookingNumber, customerName, customerEmail, outstanding: null };
  }
}
