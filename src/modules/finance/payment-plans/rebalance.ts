import { type AppError, unprocessable } from '../../../platform/errors/app-error.js';
import type { LockedPlan } from './locked-plan.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';

/** What balances a changed amount: the last other open entry, or nothing. */
export const REBALANCES = ['last_open', 'none'] as const;
export type Rebalance = (typeof REBALANCES)[number];

/**
 * Takes an amount from open entries in this order, never under what is paid on them, and returns what none could give.
 * One that would be left with nothing is cancelled and keeps its last amount.
 */
export function takeFrom(open: readonly PaymentSchedule[], cents: number): number {
  let left = cents;
  for (const entry of open) {
    const given = Math.min(left, entry.outstandingCents());
    if (given > 0) entry.give(given);
    left -= given;
  }
  return left;
}

/** Takes an amount for an entry from the other open ones, the latest first. Throws 422 `plan_total_mismatch`. */
export function takeForEntry(plan: LockedPlan, entry: PaymentSchedule, cents: number): void {
  if (takeFrom(plan.openBeside(entry), cents) > 0) throw mismatchOf(plan);
}

/** Gives an amount to the last other open entry; returns whether there was one. */
export function giveToLast(plan: LockedPlan, entry: PaymentSchedule, cents: number): boolean {
  const [last] = plan.openBeside(entry);
  last?.resize(last.amountCents + cents);
  return last !== undefined;
}

/**
 * Leaves a change unbalanced: the plan must match its booking, or, if it came in from elsewhere, be no further off than
 * before. Throws 422 `plan_total_mismatch`.
 */
export function acceptDeviation(plan: LockedPlan): void {
  const off = deviation(plan);
  if (magnitude(off) > magnitude(BigInt(plan.offByCents))) throw mismatchOf(plan);
  plan.plan.offByCents = Number(off);
}

/** Has the other open entries take or give what the plan is off by, beyond what it came in with. Throws 422 `plan_total_mismatch`. */
export function balancePlan(plan: LockedPlan, entry: PaymentSchedule): void {
  const over = Number(deviation(plan)) - plan.offByCents;
  if (over > 0) takeForEntry(plan, entry, over);
  else if (over < 0 && !giveToLast(plan, entry, -over)) throw mismatchOf(plan);
}

function mismatchOf(plan: LockedPlan): AppError {
  return planTotalMismatch({ expected: plan.booking.totalCents ?? 0, actual: plan.sumCents() });
}

/** 422: the installments would add up to `actual`, the booking costs `expected`. */
export function planTotalMismatch({ expected, actual }: { expected: number; actual: bigint }): AppError {
  return unprocessable('plan_total_mismatch', 'Installments do not add up to the booking total', {
    expected,
    actual: Number(actual),
    difference: Number(actual - BigInt(expected)),
  });
}

function deviation(plan: LockedPlan): bigint {
  return plan.sumCents() - BigInt(plan.booking.totalCents ?? 0);
}

function magnitude(cents: bigint): bigint {
  return cents < 0n ? -cents : cents;
}
