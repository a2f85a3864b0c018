import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import {
  type OutstandingSchedule,
  type Release,
  type ScheduleSettler,
  ScheduleSettlement,
} from '../payment-plans/schedule-settlement.js';
import { Payments } from './payments.service.js';
import { ScheduleMoney } from './schedule-money.service.js';

/** What payment plans ask of payments. */
@Injectable()
export class Settler implements ScheduleSettler, OnModuleInit {
  constructor(
    private readonly port: ScheduleSettlement,
    private readonly payments: Payments,
    private readonly money: ScheduleMoney,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.port.register(this);
  }

  async payOutstanding({ bookingId, scheduleId, currency, outstandingCents }: OutstandingSchedule): Promise<void> {
    await this.payments.record({
      bookingId,
      method: 'other',
      source: 'schedule_patch',
      currency,
      amountCents: outstandingCents,
      paidOn: this.clock.today(),
      allocations: [{ scheduleId, amountCents: outstandingCents }],
    });
  }

  async allocateUnapplied(bookingId: string): Promise<void> {
    await this.money.allocateUnapplied(bookingId);
  }

  async release(bookingId: string, releases: readonly Release[]): Promise<void> {
    await this.money.release(bookingId, releases);
  }

  /** At most 2^53-1, however much was overpaid. */
  async unappliedCents(bookingId: string): Promise<number> {
    const [found] = await this.database.prepared<{ cents: number }>(
      'payments-unapplied',
      `select least(coalesce(sum(unapplied_cents), 0), 9007199254740991)::float8 as cents
       from payments where booking_id = $1 and status = 'completed'`,
      [bookingId],
    );
    return found?.cents ?? 0;
  }
}
