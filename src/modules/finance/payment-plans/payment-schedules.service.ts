import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import type { Target } from '../../../platform/http/target.js';
import { type BookingSummary, BookingsService } from '../../bookings/index.js';
import type { LockedPlan } from './locked-plan.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';
import type { PatchQuery, UpdatePaymentSchedule } from './payment-schedule.dto.js';
import { PlanBook } from './plan-book.service.js';
import { editSchedule } from './schedule-edit.js';
import { type ScheduleFacts, toScheduleFacts } from './schedule-facts.dto.js';
import { restoreSchedule } from './schedule-restoration.js';
import { ScheduleSettlement } from './schedule-settlement.js';

/** Changes of single installments; the plan keeps adding up to the booking's total. */
@Injectable()
export class PaymentSchedules {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly book: PlanBook,
    private readonly settlement: ScheduleSettlement,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 404, 412, 409 `booking_closed`, `currency_immutable` and what `editSchedule` throws. What changes nothing
   * writes nothing.
   */
  async update(
    { bookingId, scheduleId, expected }: Target<'bookingId' | 'scheduleId'>,
    body: UpdatePaymentSchedule,
    query: PatchQuery,
  ): Promise<PaymentSchedule> {
    return this.database.transaction(async () => {
      const booking = await this.bookings.lock(bookingId);
      const plan = await this.book.lock(booking);
      const entry = plan?.find(scheduleId);
      if (!plan || !entry) throw notFound();
      assertVersion(expected, entry);
      assertIdentity(entry, body);
      if (booking.status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');

      const { rebalance = 'last_open', allowAfterDeparture = false } = query;
      const { departureDate } = booking;
      const [today, now] = [this.clock.today(), this.clock.now()];
      const rules = { rebalance, allowAfterDeparture, departureDate, today, now };
      const { pays } = editSchedule(plan, entry, { changes: body, rules });
      return this.store(plan, entry, { booking, pays });
    });
  }

  /**
   * Has an installment as it was before a change, in the running transaction; the reversal's entry says so, and entries of
   * their own say what balances it. Throws what `check` throws, 404, 409 `booking_closed`, and what `restoreSchedule` throws.
   */
  async undo(
    facts: ScheduleFacts,
    check: (entry: PaymentSchedule) => void,
  ): Promise<{ before: object | null; after: object }> {
    const booking = await this.bookings.lock(facts.bookingId);
    const plan = await this.book.lock(booking);
    const entry = plan?.find(facts.id);
    if (!plan || !entry) throw notFound();
    check(entry);
    if (booking.status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
    restoreSchedule(plan, entry, facts);
    const before = plan.factsBefore(entry);
    const changes = await this.book.save(plan);
    this.book.announce(entry);
    this.book.record(
      changes.filter((change) => change.entry !== entry),
      () => 'rebalance',
    );
    await this.book.settled(plan);
    return { before, after: toScheduleFacts(entry) };
  }

  private async store(
    plan: LockedPlan,
    entry: PaymentSchedule,
    { booking, pays }: { booking: BookingSummary; pays: boolean },
  ): Promise<PaymentSchedule> {
    const before = plan.factsBefore(entry);
    const changes = await this.book.save(plan);
    if (pays) {
      const { id: scheduleId, currency } = entry;
      const outstandingCents = entry.outstandingCents();
      await this.settlement.payOutstanding({ bookingId: booking.id, scheduleId, currency, outstandingCents });
      Object.assign(entry, await this.book.reread(entry));
    }
    const others = changes.filter((change) => change.entry !== entry);
    if (pays || others.length < changes.length) this.book.record([{ entry, before }], () => 'update');
    this.book.record(others, (change) => (change.before === null ? 'create' : 'rebalance'));
    if (changes.length > 0) await this.book.settled(plan);
    return entry;
  }
}

/** What is sent back unchanged passes. Throws 400 on another id, 409 `currency_immutable`. */
function assertIdentity(entry: PaymentSchedule, { id, bookingId, currency }: UpdatePaymentSchedule): void {
  if (id !== undefined && id !== entry.id) throw invalidField('id', 'id cannot change', 'immutable');
  if (bookingId !== undefined && bookingId !== entry.bookingId) {
    throw invalidField('bookingId', 'bookingId cannot change', 'immutable');
  }
  if (currency !== undefined && currency !== entry.currency) {
    throw conflict('currency_immutable', 'The installment currency must be the booking currency', {
      currency: entry.currency,
    });
  }
}
