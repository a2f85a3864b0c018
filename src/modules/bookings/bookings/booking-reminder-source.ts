import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { localDayOf } from '../../../platform/time/local-time.js';
import {
  type DueTarget,
  type LiveTrigger,
  ReminderSource,
  type ReminderTarget,
  type TargetPage,
} from '../../notifications/index.js';
import { BookingsService } from './bookings.service.js';
import { DepartureMovesService, OPEN_MOVES } from './departure-moves.service.js';

/** A departure that is moved again within this time causes one mail. */
const MOVE_WAIT_MS = 30 * 60_000;

/** The mail that confirms a booking waits this long for providers to confirm its items. */
const MAX_WAIT_MS = 30 * 60_000;
const WAIT_MS = 60_000;

// Includes bookings in progress, because a reminder on the day of departure is sent after the booking has started. An item
// takes the day of its departure, even if the job that moves it to another day has not run yet. A booking that was taken over was
// confirmed to the customer by the earlier system.
const TARGETS = `select target.id as "targetId", target.id as "bookingId", target.trigger, target.day as "anchorDate"
  from bookings booking
  cross join lateral (values
    ('departure_upcoming', booking.id, coalesce(
       (select min(case when item.status = 'confirmed' then coalesce(departure.start_date, item.service_date)
          else item.service_date end)
        from booking_items item left join departures departure on departure.id = item.departure_id
        where item.booking_id = booking.id and item.status <> 'cancelled'), booking.start_date)),
    ('departure_changed', booking.id, (greatest(booking.departure_moved_at,
       (select max(move.moved_at) ${OPEN_MOVES})) at time zone $1)::date),
    ('booking_confirmed', booking.id, case when booking.taken_over_on is null
       then (booking.confirmed_at at time zone $1)::date end)
  ) as target (trigger, id, day)
  where booking.status in ('confirmed', 'in_progress', 'completed') and target.day is not null
    and not (target.trigger = 'departure_upcoming' and exists (
      select from booking_items item join departures departure on departure.id = item.departure_id
      where item.booking_id = booking.id and item.status <> 'cancelled' and departure.status = 'called_off'))
    and not exists (select from customers where id = booking.customer_id and status = 'erased')`;

/** Provides reminders of confirmed bookings: before the departure, after its move and after the confirmation. */
@Injectable()
@Listens(ReminderSource, 10)
export class BookingReminderSource implements ReminderSource {
  readonly triggers: readonly LiveTrigger[] = ['departure_upcoming', 'departure_changed', 'booking_confirmed'];

  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly departureMoves: DepartureMovesService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async page({ trigger, afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(
      `${TARGETS} and target.trigger = $2 and booking.id > $3 and ($5::date[] is null or target.day = any($5))
       order by booking.id limit $4 for key share of booking`,
      [this.env.orgTimeZone, trigger, afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[], triggers: readonly LiveTrigger[]): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(`${TARGETS} and booking.id = any($2) and target.trigger = any($3)`, [
      this.env.orgTimeZone,
      bookingIds,
      triggers,
    ]);
  }

  async read(trigger: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const [target] = await this.ofBookings([targetId], [trigger]);
    if (!target) return null;
    const {
      number: bookingNumber,
      customerName,
      customerEmail,
      departureDate,
    } = await this.bookings.getSummary(targetId);
    const due = { ...target, bookingNumber, customerName, customerEmail, ask: null };
    if (trigger === 'departure_changed') return this.withMove(due, departureDate);
    const waitsUntil = trigger === 'booking_confirmed' ? await this.confirmationMailWait(targetId) : null;
    return waitsUntil === null ? due : { ...due, waitsUntil };
  }

  /**
   * The mail shows the old and the new day of the trip, and the start and meeting point of each departure that has others. It
   * waits, because further moves would cause further mails.
   */
  private async withMove(due: DueTarget, departureDate: string | null): Promise<DueTarget | null> {
    const [day] = await this.database.query<{ movedAt: Date; from: string }>(
      `select departure_moved_at as "movedAt", departure_moved_from as "from" from bookings
       where id = $1 and departure_moved_at is not null`,
      [due.bookingId],
    );
    const departures = await this.departureMoves.list(due.bookingId);
    const [first] = departures;
    const from = day?.from ?? (first && localDayOf(first.from.startsAt, first.timeZone));
    if (from === undefined || departureDate === null) return null;
    const moves = [...departures, ...(day ? [day] : [])].map(({ movedAt }) => movedAt.getTime());
    const waitsUntil = new Date(Math.max(...moves) + MOVE_WAIT_MS);
    const moved = { from, to: departureDate, departures };
    return this.clock.now() < waitsUntil ? { ...due, moved, waitsUntil } : { ...due, moved };
  }

  /** Waits a minute at a time until external providers have confirmed all items, up to the limit. Null means no wait. */
  private async confirmationMailWait(bookingId: string): Promise<Date | null> {
    const [pending] = await this.database.query<{ confirmedAt: Date }>(
      `select b.confirmed_at as "confirmedAt" from bookings b where b.id = $1 and exists (
         select from booking_items i where i.booking_id = b.id and i.supplier_status = 'pending')`,
      [bookingId],
    );
    if (!pending) return null;
    const last = pending.confirmedAt.getTime() + MAX_WAIT_MS;
    const now = this.clock.now().getTime();
    return now < last ? new Date(Math.min(last, now + WAIT_MS)) : null;
  }
}
