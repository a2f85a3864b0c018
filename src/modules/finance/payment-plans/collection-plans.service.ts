import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { type BookingSummary, BookingsService, completePolicy, type PaymentPolicy } from '../../bookings/index.js';
import { computedEntries, storedEntries } from './collection.js';
import { CollectionAdvice, type Outlook } from './collection-advice.service.js';
import type { CollectionPlanRequest, CollectionPlanResponse } from './collection-plan.dto.js';
import type { LockedPlan } from './locked-plan.js';
import { PaymentPlans } from './payment-plans.service.js';
import { PlanBook } from './plan-book.service.js';

/** What should be collected from a customer, and when. */
@Injectable()
export class CollectionPlans {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly plans: PaymentPlans,
    private readonly book: PlanBook,
    private readonly advice: CollectionAdvice,
  ) {}

  /**
   * Looks at the booking's plan; where it has none, computes one and, unless it is a preview, stores it. Throws 404, 409
   * `booking_closed`, `booking_not_priced`, 422 `invalid_payment_policy`, `amount_exceeds_outstanding`; then nothing is
   * stored.
   */
  async collect(bookingId: string, request: CollectionPlanRequest): Promise<CollectionPlanResponse> {
    const { materialize = true } = request;
    const today = this.advice.dayFor(request);
    const requested = request.policy ? completePolicy(request.policy, 'policy') : null;
    return this.database.transaction(async () => {
      const booking = await (materialize ? this.bookings.lock(bookingId) : this.bookings.getSummary(bookingId));
      if (booking.status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
      const { totalCents } = booking;
      if (totalCents === null) throw conflict('booking_not_priced', 'The booking has no items');

      const plan = await (materialize ? this.book.lock(booking) : this.book.look(booking));
      const facts = { booking, totalCents, today };
      const outlook = plan
        ? existing(plan, facts, requested)
        : await this.computed(facts, { requested, materialize: materialize && totalCents > 0 });
      return this.advice.answer(outlook, request);
    });
  }

  private async computed(
    facts: Pick<Outlook, 'booking' | 'totalCents' | 'today'>,
    { requested, materialize }: { requested: PaymentPolicy | null; materialize: boolean },
  ): Promise<Outlook> {
    const { booking, today } = facts;
    const { policy, source, computed } = await this.plans.compute(booking, { requested, today });
    const outlook = { ...facts, policy, source, warnings: computed.warnings, plan: null, materialized: false };
    if (!materialize) return { ...outlook, entries: computedEntries(computed) };
    const plan = await this.plans.open(booking, { policy, source }, computed.entries);
    return { ...outlook, entries: storedEntries(plan.entries, today), plan, materialized: true };
  }
}

/** Nothing of a plan that exists is ever rewritten here, or added to it. */
function existing(
  plan: LockedPlan,
  facts: { booking: BookingSummary; totalCents: number; today: string },
  requested: PaymentPolicy | null,
): Outlook {
  const { policy, source } = plan.plan;
  const entries = facts.totalCents === 0 ? [] : storedEntries(plan.entries, facts.today);
  const warnings = requested ? ['policy_ignored'] : [];
  return { ...facts, policy, source, plan, entries, warnings, materialized: false };
}
