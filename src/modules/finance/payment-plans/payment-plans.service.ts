import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { make } from '../../../platform/database/rows.js';
import { newId } from '../../../platform/ids/id.js';
import type { BookingSummary, PaymentPolicy } from '../../bookings/index.js';
import { PaymentPoliciesService } from '../payment-policy/payment-policies.service.js';
import { toPolicyTerms } from '../payment-policy/payment-policy.dto.js';
import { type ComputedPlan, computePlan } from './plan.js';
import { LockedPlan, type NewEntry } from './locked-plan.js';
import { PaymentPlan, type PolicySource } from './payment-plan.entity.js';
import { PlanBook } from './plan-book.service.js';
import { ScheduleSettlement } from './schedule-settlement.js';

export interface ChosenPolicy {
  policy: PaymentPolicy | null;
  source: PolicySource;
}

/** Makes payment plans. A booking has one; nothing here touches one that exists. */
@Injectable()
export class PaymentPlans {
  constructor(
    private readonly book: PlanBook,
    private readonly policies: PaymentPoliciesService,
    private readonly settlement: ScheduleSettlement,
    private readonly clock: Clock,
  ) {}

  /** What the plan of a booking would be today, by the first policy that exists. */
  async compute(
    booking: BookingSummary,
    { requested = null, today }: { requested?: PaymentPolicy | null; today: string },
  ): Promise<ChosenPolicy & { computed: ComputedPlan }> {
    const { policy, source } = await this.policyFor(booking, requested);
    const { departureDate } = booking;
    const computed = computePlan({ totalCents: booking.totalCents ?? 0, today, departureDate, policy });
    return { policy, source, computed };
  }

  /**
   * Stores the first plan of a booking that is locked and has none, and lets the money that already lies there settle
   * it. The entries add up to the booking's total.
   */
  async open(
    booking: BookingSummary,
    { policy, source }: ChosenPolicy,
    entries: readonly NewEntry[],
  ): Promise<LockedPlan> {
    const now = this.clock.now();
    const plan = make(PaymentPlan, {
      id: newId('plan'),
      bookingId: booking.id,
      planVersion: 1,
      policy,
      source,
      totalCents: booking.totalCents ?? 0,
      offByCents: 0,
      isCurrent: true,
      createdAt: now,
    });
    const fresh = new LockedPlan(booking, plan, []);
    for (const entry of entries) fresh.add(entry, now);
    await this.book.insert(fresh);
    await this.settlement.allocateUnapplied(booking.id);
    await this.book.settled(fresh);
    return (await this.book.lock(booking)) ?? fresh;
  }

  /** The requested one, the booking's, the organization's, none: nobody assumes another. */
  private async policyFor(booking: BookingSummary, requested: PaymentPolicy | null): Promise<ChosenPolicy> {
    if (requested) return { policy: requested, source: 'request' };
    if (booking.paymentPolicy) return { policy: booking.paymentPolicy, source: 'booking' };
    const organization = await this.policies.find();
    if (organization) return { policy: toPolicyTerms(organization), source: 'organization' };
    return { policy: null, source: 'none' };
  }
}
