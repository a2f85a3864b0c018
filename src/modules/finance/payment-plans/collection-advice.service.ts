import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { BookingSummary, PaymentPolicy } from '../../bookings/index.js';
import { toPolicyResponse } from '../payment-policy/payment-policy.dto.js';
import { type Collectable, type CollectionEntry, collectNow, outstandingOf, sumOf } from './collection.js';
import type {
  CollectionMethod,
  CollectionPlanRequest,
  CollectionPlanResponse,
  RecommendedAction,
} from './collection-plan.dto.js';
import type { LockedPlan } from './locked-plan.js';
import type { PolicySource } from './payment-plan.entity.js';
import { ScheduleInvoices } from './schedule-invoices.js';
import { ScheduleSettlement } from './schedule-settlement.js';

/** A booking's plan, stored or computed, as it looks on a day. */
export interface Outlook {
  booking: BookingSummary;
  totalCents: number;
  today: string;
  /** By due date. */
  entries: CollectionEntry[];
  policy: PaymentPolicy | null;
  source: PolicySource;
  warnings: string[];
  plan: LockedPlan | null;
  materialized: boolean;
}

/** What to do about a plan: how much to collect now, and how. */
@Injectable()
export class CollectionAdvice {
  constructor(
    private readonly settlement: ScheduleSettlement,
    private readonly invoices: ScheduleInvoices,
    private readonly clock: Clock,
  ) {}

  /** The day that the plan is looked at. Throws 400 on another one than today where the plan would be stored. */
  dayFor({ asOf, materialize = true }: CollectionPlanRequest): string {
    if (asOf !== undefined && materialize) {
      throw invalidField('asOf', 'asOf requires materialize: false', 'preview_only');
    }
    return asOf ?? this.clock.today();
  }

  /** Throws 404 on an unknown installment, 422 `amount_exceeds_outstanding`. */
  async answer(outlook: Outlook, request: CollectionPlanRequest): Promise<CollectionPlanResponse> {
    const { booking, totalCents, today, entries, policy, plan } = outlook;
    const { method = 'card', stage = 'initial', amountCents, scheduleId } = request;
    const collectable = collectNow(entries, { amountCents, scheduleId, today });
    const unappliedCents = await this.settlement.unappliedCents(booking.id);
    return {
      bookingId: booking.id,
      currency: booking.currency,
      method,
      stage,
      totalCents,
      paidCents: sumOf(entries, ({ paidCents }) => paidCents),
      waivedCents: plan?.waivedCents() ?? 0,
      outstandingCents: sumOf(entries, outstandingOf),
      unappliedCents,
      policy: policy && toPolicyResponse(policy),
      policySource: outlook.source,
      departureDate: booking.departureDate,
      asOf: today,
      materialized: outlook.materialized,
      planVersion: plan?.plan.planVersion ?? null,
      entries,
      nextDue: entries.find((entry) => outstandingOf(entry) > 0) ?? null,
      amountCents: collectable.amountCents,
      recommendedAction: await this.actionFor(booking, method, collectable),
      warnings: [...outlook.warnings, ...(unappliedCents > 0 ? ['unapplied_money'] : [])],
    };
  }

  private async actionFor(
    { id }: BookingSummary,
    method: CollectionMethod,
    { amountCents, entries }: Collectable,
  ): Promise<RecommendedAction> {
    if (amountCents === 0) return 'none';
    if (method === 'card') return 'request_payment';
    const scheduleIds = entries.flatMap(({ scheduleId }) => (scheduleId === null ? [] : [scheduleId]));
    return (await this.invoices.hasOpenInvoice(id, scheduleIds)) ? 'request_payment' : 'issue_invoice';
  }
}
