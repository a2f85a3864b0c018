import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Env } from '../../../platform/config/env.js';
import {
  type DueTarget,
  type LiveTrigger,
  type ReminderSource,
  ReminderSources,
  type ReminderTarget,
  type TargetPage,
} from '../../notifications/index.js';
import { BookingsService } from '../bookings/bookings.service.js';

// One that is under way was confirmed: who is reminded on the day of departure is reminded after it began. An item that is to
// be delivered starts with its departure, also while it has yet to follow that to another day.
const TARGETS = `select target.id as "targetId", target.id as "bookingId", target.trigger, target.day as "anchorDate"
  from bookings booking
  cross join lateral (values
    ('departure_upcoming', booking.id, coalesce(
       (select min(case when item.status = 'confirmed' then coalesce(departure.start_date, item.service_date)
          else item.service_date end)
        from booking_items item left join departures departure on departure.id = item.departure_id
        where item.booking_id = booking.id and item.status <> 'cancelled'), booking.start_date)),
    ('booking_confirmed', booking.id, (booking.confirmed_at at time zone $1)::date)
  ) as target (trigger, id, day)
  where booking.status in ('confirmed', 'in_progress', 'completed') and target.day is not null`;

/** Confirmed bookings, of which people are reminded by their departure, or by their confirmation. */
@Injectable()
export class BookingTargets implements ReminderSource, OnModuleInit {
  readonly kind = 'booking';
  readonly triggers: readonly LiveTrigger[] = ['departure_upcoming', 'booking_confirmed'];

  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly sources: ReminderSources,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    this.sources.register(this);
  }

  async page({ trigger, afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(
      `${TARGETS} and target.trigger = $2 and booking.id > $3 and ($5::date[] is null or target.day = any($5))
       order by booking.id limit $4 for key share of booking`,
      [this.env.orgTimeZone, trigger, afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(`${TARGETS} and booking.id = any($2)`, [
      this.env.orgTimeZone,
      bookingIds,
    ]);
  }

  async read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const target = (await this.ofBookings([targetId])).find((each) => each.trigger === trigger);
    if (!target) return null;
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.read(targetId);
    return { ...target, bookingNumber, customerName, customerEmail, outstanding: null };
  }
}
