import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import type { BookingSummary } from '../../bookings/index.js';
import type { EntryChange, LockedPlan } from './locked-plan.js';
import { PaymentPlans } from './payment-plans.service.js';
import { PlanBook } from './plan-book.service.js';
import { growPlan, releasesFor, shrinkOpen } from './plan-resizing.js';
import { ScheduleSettlement } from './schedule-settlement.js';

/** What becomes of a plan when its booking changes. Before the invoices, whose sum it may ask to come down. */
@Injectable()
export class PlanFollowers {
  constructor(
    private readonly plans: PaymentPlans,
    private readonly book: PlanBook,
    private readonly settlement: ScheduleSettlement,
    private readonly clock: Clock,
  ) {}

  /** A booking that has no plan gets one. */
  async confirmed(booking: BookingSummary): Promise<void> {
    if (booking.totalCents === null || booking.totalCents === 0 || (await this.book.look(booking))) return;
    const { policy, source, computed } = await this.plans.compute(booking, { today: this.clock.today() });
    await this.plans.open(booking, { policy, source }, computed.entries);
  }

  /** What is open is not collected any more; what is paid on it stays, and is all of it. */
  async cancelled(booking: BookingSummary, reason: string): Promise<void> {
    const plan = await this.book.lock(booking);
    if (!plan) return;
    for (const entry of plan.entries.filter((each) => each.isOpen())) entry.give(entry.outstandingCents());
    const changes = await this.book.save(plan);
    this.book.record(changes, verbOf, reason);
  }

  /** The plan follows the total. Throws 409 `booking_invoiced`. */
  async totalChanged(booking: BookingSummary, beforeCents: number | null, afterCents: number): Promise<void> {
    const more = afterCents - (beforeCents ?? 0);
    const plan = more === 0 ? null : await this.book.lock(booking);
    if (!plan) return;
    if (more > 0) growPlan(plan, { cents: more, today: this.clock.today(), now: this.clock.now() });
    const left = more > 0 ? 0 : shrinkOpen(plan, -more);
    if (left > 0) await this.shrinkPaid(plan, booking, left);
    else this.book.record(await this.book.save(plan), verbOf);
    await this.book.settled(plan);
  }

  /** Paid entries give up a part of their amount; the money on it becomes unapplied. */
  private async shrinkPaid(plan: LockedPlan, booking: BookingSummary, cents: number): Promise<void> {
    const releases = releasesFor(plan, cents);
    this.book.record(await this.book.save(plan), verbOf);
    await this.settlement.release(booking.id, releases);
    const freed = await this.book.lock(booking);
    for (const { scheduleId, cents: released } of releases) freed?.find(scheduleId)?.give(released);
    if (freed) this.book.record(await this.book.save(freed), verbOf);
  }
}

function verbOf({ entry, before }: EntryChange): 'create' | 'rebalance' | 'cancel' {
  if (before === null) return 'create';
  return entry.status === 'cancelled' && before.status !== 'cancelled' ? 'cancel' : 'rebalance';
}
