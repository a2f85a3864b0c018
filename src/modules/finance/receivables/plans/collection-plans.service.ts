import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { conflict, invalidField } from '../../../../platform/errors/app-error.js';
import { completePolicy, type PaymentPolicy } from '../../../bookings/index.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import type { LockedPlan } from '../account/locked-plan.js';
import type { PolicySource } from '../account/payment-plan.entity.js';
import { toPolicyResponse } from '../policies/payment-policy.dto.js';
import {
  type Collectable,
  type CollectionEntry,
  collectNow,
  computedEntries,
  outstandingOf,
  storedEntries,
  sumOf,
} from './collection.js';
import type {
  CollectionMethod,
  CollectionPlanRequest,
  CollectionPlanResponse,
  RecommendedAction,
} from './collection-plan.dto.js';
import { PaymentPlansService, pricedTotalOf } from './payment-plans.service.js';

/** A stored or computed plan of a booking on a day. */
interface Outlook {
  totalCents: number;
  today: string;
  /** Entries sorted by due date. */
  entries: CollectionEntry[];
  policy: PaymentPolicy | null;
  source: PolicySource;
  warnings: string[];
  plan: LockedPlan | null;
  materialized: boolean;
}

/** Computes the amounts to collect from a customer, with their dates. */
@Injectable()
export class CollectionPlansService {
  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly plans: PaymentPlansService,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the booking's plan. If it has none, computes one and, unless it is a preview, stores it. Stores nothing if it throws
   * an error.
   */
  async collect(bookingId: string, request: CollectionPlanRequest): Promise<CollectionPlanResponse> {
    const { asOf, materialize = true } = request;
    if (asOf !== undefined && materialize) {
      throw invalidField('asOf', 'asOf requires materialize: false', 'preview_only');
    }
    const today = asOf ?? this.clock.today();
    const requested = request.policy ? completePolicy(request.policy, 'policy') : null;
    return this.database.transaction(async () => {
      const account = await (materialize ? this.accounts.lock(bookingId) : this.accounts.read(bookingId));
      if (account.booking.status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
      const totalCents = pricedTotalOf(account.booking);
      const outlook = account.plan
        ? existing(account.plan, { totalCents, today, requested })
        : await this.computed(account, { totalCents, today, requested, materialize: materialize && totalCents > 0 });
      return this.responseFor(account, outlook, request);
    });
  }

  private async computed(
    account: BookingAccount,
    wanted: { totalCents: number; today: string; requested: PaymentPolicy | null; materialize: boolean },
  ): Promise<Outlook> {
    const { totalCents, today, requested, materialize } = wanted;
    const { policy, source, computed } = await this.plans.compute(account.booking, { requested, today });
    const outlook = { totalCents, today, policy, source, warnings: computed.warnings };
    if (!materialize) return { ...outlook, entries: computedEntries(computed), plan: null, materialized: false };
    const plan = await this.plans.start(account, { policy, source }, computed.entries);
    return { ...outlook, entries: storedEntries(plan.installments, today), plan, materialized: true };
  }

  private async responseFor(
    account: BookingAccount,
    outlook: Outlook,
    { method = 'card', stage = 'initial', amountCents, scheduleId }: CollectionPlanRequest,
  ): Promise<CollectionPlanResponse> {
    const { booking } = account;
    const { totalCents, today, entries, policy, plan } = outlook;
    const collectable = collectNow(entries, { amountCents, scheduleId, today });
    const unappliedCents = await this.accounts.unappliedCents(booking.id);
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
      quote: booking.status === 'draft',
      materialized: outlook.materialized,
      planVersion: plan?.plan.planVersion ?? null,
      entries,
      nextDue: entries.find((entry) => outstandingOf(entry) > 0) ?? null,
      amountCents: collectable.amountCents,
      recommendedAction: actionFor(account, method, collectable),
      warnings: [...outlook.warnings, ...(unappliedCents > 0 ? ['unapplied_money'] : [])],
    };
  }
}

/** This method never changes or extends a stored plan. */
function existing(
  plan: LockedPlan,
  { totalCents, today, requested }: { totalCents: number; today: string; requested: PaymentPolicy | null },
): Outlook {
  const { policy, source } = plan.plan;
  const entries = totalCents === 0 ? [] : storedEntries(plan.installments, today);
  const warnings = requested ? ['policy_ignored'] : [];
  return { totalCents, today, policy, source, plan, entries, warnings, materialized: false };
}

function actionFor(
  account: BookingAccount,
  method: CollectionMethod,
  { amountCents, entries }: Collectable,
): RecommendedAction {
  if (amountCents === 0) return 'none';
  if (method === 'card') return 'request_payment';
  const scheduleIds = entries.flatMap(({ scheduleId }) => (scheduleId === null ? [] : [scheduleId]));
  return account.hasOpenInvoice(scheduleIds) ? 'request_payment' : 'issue_invoice';
}
