import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import type { Release } from '../payment-plans/schedule-settlement.js';
import { BookingDebts } from './booking-debts.service.js';
import { sumOfShares } from './debt.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';
import { PaymentAllocations } from './payment-allocations.service.js';
import { PaymentChanges } from './payment-changes.service.js';
import { PaymentRows } from './payment-rows.service.js';

/** Money of a booking that moves because its plan does: statements for all payments at once, and an entry for each. */
@Injectable()
export class ScheduleMoney {
  constructor(
    private readonly debts: BookingDebts,
    private readonly rows: PaymentRows,
    private readonly allocations: PaymentAllocations,
    private readonly changes: PaymentChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets money of the booking that has paid an invoice alone, then what is unapplied, settle its open installments, the
   * oldest of each first.
   */
  async allocateUnapplied(bookingId: string): Promise<void> {
    const debt = await this.debts.lockCaughtUp(bookingId);
    const payments = await this.rows.lockUnapplied(bookingId);
    const wanted = payments
      .map((payment) => ({ payment, shares: debt.automatic(payment.unappliedCents) }))
      .filter(({ shares }) => shares.length > 0);
    if (wanted.length === 0) return;

    const changes = await this.changes.begin(wanted.map(({ payment }) => payment));
    const effectiveOn = this.clock.today();
    await this.allocations.add(
      wanted.flatMap(({ payment, shares }) =>
        shares.map((share) => ({ ...share, paymentId: payment.id, effectiveOn })),
      ),
    );
    for (const { payment, shares } of wanted) payment.unappliedCents -= sumOfShares(shares);
    await this.changes.conclude(changes, 'allocate');
    await debt.settle(wanted.flatMap(({ shares }) => shares));
  }

  /** Takes money back from installments, what was allocated last first; it is unapplied then. */
  async release(bookingId: string, releases: readonly Release[]): Promise<void> {
    const debt = await this.debts.lock(bookingId);
    const live = await this.allocations.liveOn(releases.map(({ scheduleId }) => scheduleId));
    const taken = releases.flatMap(({ scheduleId, cents }) => take(live, scheduleId, cents));
    const payments = await this.rows.lockAll([...new Set(taken.map(({ allocation }) => allocation.paymentId))]);
    const changes = await this.changes.begin(payments);

    const effectiveOn = this.clock.today();
    await this.allocations.reverse(taken.map(({ allocation }) => allocation));
    // What is kept of an allocation goes on as a row of its own.
    await this.allocations.add(
      taken
        .filter(({ allocation, cents }) => cents < allocation.amountCents)
        .map(({ allocation: { id: _reversed, ...kept }, cents }) => ({
          ...kept,
          amountCents: kept.amountCents - cents,
          effectiveOn,
        })),
    );
    await debt.unsettle(taken.map(({ allocation, cents }) => ({ ...allocation, amountCents: cents })));
    for (const payment of payments) {
      const own = taken.filter(({ allocation }) => allocation.paymentId === payment.id);
      payment.unappliedCents += own.reduce((sum, { cents }) => sum + cents, 0);
    }
    await this.changes.conclude(changes, 'deallocate');
  }
}

/** The latest allocations of an installment that make up so much; of the last one perhaps a part. */
function take(live: readonly PaymentAllocation[], scheduleId: string, cents: number) {
  let left = cents;
  const taken: { allocation: PaymentAllocation; cents: number }[] = [];
  for (const allocation of live.filter((one) => one.scheduleId === scheduleId).reverse()) {
    const part = Math.min(left, allocation.amountCents);
    if (part > 0) taken.push({ allocation, cents: part });
    left -= part;
  }
  return taken;
}
