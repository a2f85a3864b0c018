import type { Release } from '../account/booking-accounts.service.js';
import type { StoredReduction } from '../account/booking-accounts.repository.js';
import type { LockedPlan } from '../account/locked-plan.js';
import type { PaymentSchedule } from '../account/payment-schedule.entity.js';
import { reduceOpen } from './rebalance.js';

export type InstallmentState = Pick<PaymentSchedule, 'status' | 'waived' | 'amountCents'>;

/** Returns the part of the plan that an installment contributes, as in `LockedPlan.sumCents`. */
function countedCents({ status, waived, amountCents }: InstallmentState): number {
  return status === 'cancelled' && !waived ? 0 : amountCents;
}

/** Returns the installments that contribute less than in `before`. */
export function reductionsSince(
  before: ReadonlyMap<string, InstallmentState>,
  { installments }: LockedPlan,
): StoredReduction[] {
  return installments.flatMap((installment) => {
    const { id: scheduleId } = installment;
    const was = before.get(scheduleId);
    const cents = was ? countedCents(was) - countedCents(installment) : 0;
    return was && cents > 0 ? [{ scheduleId, cents, waived: was.waived }] : [];
  });
}

/**
 * Restores the reductions of installments by the cancellation of an item, up to this amount. Returns the rest, because staff
 * may have waived such an installment since.
 */
export function restoreReductions(plan: LockedPlan, reductions: readonly StoredReduction[], cents: number): number {
  let left = cents;
  for (const { scheduleId, cents: taken, waived } of reductions) {
    const installment = plan.find(scheduleId);
    const part = Math.min(left, taken);
    if (!installment || part === 0 || (installment.waived && !waived)) continue;
    const amountCents = countedCents(installment) + part;
    const isWaived = waived && installment.status === 'cancelled';
    if (isWaived) Object.assign(installment, { amountCents, waived: true });
    else installment.resize(amountCents);
    left -= part;
  }
  return left;
}

interface Growth {
  cents: number;
  departureDate: string | null;
  today: string;
  now: Date;
}

/**
 * Adds an installment for the additional price of the booking, due with the latest open one or today, but not after the
 * departure.
 */
export function growPlan(plan: LockedPlan, { cents, departureDate, today, now }: Growth): void {
  const open = plan.installments.filter((installment) => installment.isOpen()).map(({ dueDate }) => dueDate);
  const withOthers = open.sort().at(-1) ?? today;
  const latest = departureDate === null || departureDate < today ? today : departureDate;
  const dueDate = departureDate !== null && latest < withOthers ? latest : withOthers;
  plan.add({ type: 'amendment', label: 'Amendment', dueDate, amountCents: cents, basis: 'amendment' }, now);
}

/**
 * Shrinks a plan whose booking costs less: first waived amounts, then unbilled open installments, then billed ones, each group
 * from the latest, and never below the paid amounts. Returns the rest, by which only paid installments can shrink.
 */
export function shrinkOpen(plan: LockedPlan, cents: number): number {
  let left = cents;
  for (const installment of plan.latest(({ waived }) => waived)) {
    const part = Math.min(left, installment.amountCents);
    // If nothing is left, the installment keeps its last amount and no longer counts.
    if (part === installment.amountCents) installment.cancel();
    else installment.amountCents -= part;
    left -= part;
    if (left === 0) break;
  }
  left = reduceOpen(plan.openExcept(null), left);
  return reduceOpen(
    plan.latest((installment) => installment.isOpen()),
    left,
  );
}

/**
 * Returns the money to release from paid and partly paid installments, the latest first, so that they can shrink by this
 * amount.
 */
export function releasesFor(plan: LockedPlan, cents: number): Release[] {
  let left = cents;
  const releases: Release[] = [];
  for (const installment of plan.latest(({ status }) => status === 'paid')) {
    const released = Math.min(left, installment.paidCents);
    if (released > 0) releases.push({ scheduleId: installment.id, cents: released });
    left -= released;
  }
  // Only an imported plan below its booking's total has less to shrink; its deviation absorbs the rest.
  plan.plan.offByCents += left;
  return releases;
}
