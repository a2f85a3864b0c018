import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Env } from '../../../../platform/config/env.js';
import { Database } from '../../../../platform/database/database.js';
import { Listens } from '../../../../platform/discovery/listeners.js';
import { BookingsService } from '../../../bookings/index.js';
import {
  type CancellationMoney,
  type DueTarget,
  type LiveTrigger,
  ReminderSource,
  type ReminderTarget,
  type TargetPage,
} from '../../../notifications/index.js';
import { SettlementsService } from './settlements.service.js';

/** The mail waits this long for the settlement, and for a cancellation by mistake to be reversed. */
const WAIT_MS = 30 * 60_000;

const TARGETS = `select booking.id as "targetId", booking.id as "bookingId", 'booking_cancelled' as trigger,
    (settlement.created_at at time zone $1)::date as "anchorDate"
  from bookings booking
  join cancellation_settlements settlement on settlement.booking_id = booking.id and settlement.reinstated_at is null
  where booking.status = 'cancelled' and booking.confirmed_at is not null and settlement.informs_customer
    and not exists (select from customers where id = booking.customer_id and status = 'erased')`;

/** Provides cancelled bookings whose customers are to be informed, with the fee and the rest. */
@Injectable()
@Listens(ReminderSource, 30)
export class CancellationReminderSource implements ReminderSource {
  readonly triggers: readonly LiveTrigger[] = ['booking_cancelled'];

  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly settlements: SettlementsService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async page({ afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(
      `${TARGETS} and booking.id > $2
         and ($4::date[] is null or (settlement.created_at at time zone $1)::date = any($4))
       order by booking.id limit $3 for key share of booking`,
      [this.env.orgTimeZone, afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]> {
    return this.database.query<ReminderTarget>(`${TARGETS} and booking.id = any($2)`, [
      this.env.orgTimeZone,
      bookingIds,
    ]);
  }

  async read(_trigger: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const [target] = await this.ofBookings([targetId]);
    if (!target) return null;
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.getSummary(targetId);
    const { settlement } = await this.settlements.get(targetId);
    const { currency, agreedFeeCents: feeCents, outcome } = settlement;
    const { openFeeCents, restCents } = await this.settlements.forecast(targetId, feeCents);
    const isSettled = settlement.status === 'settled';
    const cancellation: CancellationMoney = {
      ...{ currency, feeCents, openFeeCents, outcome },
      restCents: isSettled ? settlement.restCents : restCents,
    };
    const due = { ...target, bookingNumber, customerName, customerEmail, ask: null, cancellation };
    const waitsUntil = new Date(settlement.createdAt.getTime() + WAIT_MS);
    return isSettled || this.clock.now() >= waitsUntil ? due : { ...due, waitsUntil };
  }
}
