import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { EntryChange, LockedPlan } from './locked-plan.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';
import { toScheduleFacts } from './schedule-facts.dto.js';

const EVENTS = { create: 'created', update: 'updated', rebalance: 'updated', cancel: 'cancelled' } as const;
export type ScheduleVerb = keyof typeof EVENTS;

/** What happened to an installment, for the ledger and for those who listen, in the running transaction. */
@Injectable()
export class ScheduleJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(verb: ScheduleVerb, { entry, before }: EntryChange, reason: string | null = null): void {
    const subject = { subjectType: 'payment_schedule', subjectId: entry.id };
    this.ledger.record(`finance.payment_schedule.${verb}`, {
      ...subject,
      before,
      after: toScheduleFacts(entry),
      reason,
    });
    this.announce(EVENTS[verb], entry);
    // Where money moved, the payments have said so.
    const isSettledByShrinking = before?.status === 'pending' && before.paidCents === entry.paidCents;
    if (entry.status === 'paid' && isSettledByShrinking) this.announce('paid', entry);
  }

  /** A plan was made, with the entries that it begins with. */
  materialized({ plan, booking, entries }: LockedPlan): void {
    const { id: planId, bookingId, planVersion, source, policy, totalCents } = plan;
    this.ledger.record('finance.payment_plan.materialize', {
      subjectType: 'payment_plan',
      subjectId: planId,
      after: { id: planId, bookingId, planVersion, source, policy, totalCents, entries: entries.map(toScheduleFacts) },
    });
    const data = { planId, bookingId, planVersion, source, currency: booking.currency, totalCents };
    for (const channel of scheduleChannels(bookingId)) {
      this.outbox.add({ channel, event: 'payment_plan.materialized', data });
    }
  }

  /** Leaves the event `payment_schedule.<name>`; `paid` is also said by the payments. */
  announce(name: 'created' | 'updated' | 'cancelled' | 'paid', schedule: PaymentSchedule): void {
    const { id: scheduleId, bookingId, status, dueDate, currency, amountCents, paidCents, version } = schedule;
    const data = { scheduleId, bookingId, status, dueDate, currency, amountCents, paidCents, version };
    for (const channel of scheduleChannels(bookingId)) {
      this.outbox.add({ channel, event: `payment_schedule.${name}`, data });
    }
  }
}

/** Where the events of a booking's installments appear: with the booking, and together with all others. */
export function scheduleChannels(bookingId: string): string[] {
  return [`bookings.${bookingId}`, 'finance.payment-schedules'];
}
