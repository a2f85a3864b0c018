import { conflict } from '../../../platform/errors/app-error.js';
import type { LockedPlan } from './locked-plan.js';
import { takeFrom } from './rebalance.js';
import type { Release } from './schedule-settlement.js';

/** The booking costs more: a new installment, due with the latest open one, or today. */
export function growPlan(plan: LockedPlan, { cents, today, now }: { cents: number; today: string; now: Date }): void {
  const open = plan.entries.filter((entry) => entry.isOpen()).map(({ dueDate }) => dueDate);
  const dueDate = open.sort().at(-1) ?? today;
  plan.add({ type: 'amendment', label: 'Amendment', dueDate, amountCents: cents, basis: 'amendment' }, now);
}

/**
 * The booking costs less: what was waived shrinks first, then open entries from the latest backwards, never under what
 * is paid on them. Returns how much is left to shrink, which only paid entries can give.
 */
export function shrinkOpen(plan: LockedPlan, cents: number): number {
  let left = cents;
  for (const entry of plan.movable(({ waived }) => waived)) {
    const given = Math.min(left, entry.amountCents);
    // One that nothing is left of keeps its last amount, and no longer counts.
    if (given === entry.amountCents) entry.cancel();
    else entry.amountCents -= given;
    left -= given;
    if (left === 0) break;
  }
  return takeFrom(plan.openBeside(null), left);
}

/**
 * What must be released of paid entries, the latest first, so that they can give this amount. Throws 409
 * `booking_invoiced` where entries on live invoices alone could.
 */
export function releasesFor(plan: LockedPlan, cents: number): Release[] {
  let left = cents;
  const releases: Release[] = [];
  for (const entry of plan.movable(({ status }) => status === 'paid')) {
    const released = Math.min(left, entry.paidCents);
    if (released > 0) releases.push({ scheduleId: entry.id, cents: released });
    left -= released;
  }
  if (left > toleratedBy(plan)) {
    throw conflict('booking_invoiced', 'Total invoiced exceeds the new booking total; void the invoice first');
  }
  plan.plan.offByCents += left;
  return releases;
}

/** A plan that came in asking for too little takes the rest on itself: it comes nearer to its booking. */
function toleratedBy({ offByCents }: LockedPlan): number {
  return offByCents < 0 ? -2 * offByCents : 0;
}
