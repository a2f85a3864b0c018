import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { type BookingSummary, BookingsService } from '../../bookings/index.js';
import type { LockedPlan, NewEntry } from './locked-plan.js';
import { PaymentPlans } from './payment-plans.service.js';
import type { CreatePaymentSchedule } from './payment-schedule.dto.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';
import { PlanBook } from './plan-book.service.js';
import { planTotalMismatch, takeForEntry } from './rebalance.js';
import { assertBeforeDeparture, balanceOver } from './schedule-edit.js';

const MAX_ENTRIES = 500;

/** Installments that staff add to a plan, or begin one with. */
@Injectable()
export class NewPaymentSchedules {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly plans: PaymentPlans,
    private readonly book: PlanBook,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 404, 409 `booking_closed`, `booking_not_priced`, `schedule_limit_reached`, 422 `plan_total_mismatch`,
   * `due_date_after_departure`.
   */
  async create(
    bookingId: string,
    input: CreatePaymentSchedule,
    { allowAfterDeparture = false }: { allowAfterDeparture?: boolean },
  ): Promise<PaymentSchedule> {
    const { label, dueDate, amountCents, type = 'installment', notes = null } = input;
    const entry: NewEntry = { label, dueDate, amountCents, type, notes, basis: 'manual' };
    return this.database.transaction(async () => {
      const booking = await this.bookings.lock(bookingId);
      if (booking.status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
      if (booking.totalCents === null) throw conflict('booking_not_priced', 'The booking has no items');
      assertBeforeDeparture(dueDate, { departureDate: booking.departureDate, allowAfterDeparture });

      const plan = await this.book.lock(booking);
      return plan ? this.add(plan, entry) : this.begin(booking, booking.totalCents, entry);
    });
  }

  /** It takes its amount from the last open entry. */
  private async add(plan: LockedPlan, entry: NewEntry): Promise<PaymentSchedule> {
    if (plan.entries.length >= MAX_ENTRIES) {
      throw conflict('schedule_limit_reached', `A plan has at most ${MAX_ENTRIES} installments`);
    }
    const added = plan.add(entry, this.clock.now());
    takeForEntry(plan, added, entry.amountCents);
    const changes = await this.book.save(plan);
    this.book.record(changes, ({ before }) => (before === null ? 'create' : 'rebalance'));
    await this.book.settled(plan);
    return added;
  }

  /** It begins a plan; what it leaves of the total is due with it. */
  private async begin(booking: BookingSummary, totalCents: number, entry: NewEntry): Promise<PaymentSchedule> {
    const rest = totalCents - entry.amountCents;
    if (rest < 0) throw planTotalMismatch({ expected: totalCents, actual: BigInt(entry.amountCents) });
    const entries = rest === 0 ? [entry] : [entry, balanceOver(rest, entry.dueDate)];
    const plan = await this.plans.open(booking, { policy: null, source: 'none' }, entries);
    const [first] = plan.entries;
    if (!first) throw new Error('A plan without entries was begun');
    this.book.record([{ entry: first, before: null }], () => 'create');
    return first;
  }
}
