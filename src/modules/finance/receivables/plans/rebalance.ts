import { type AppError, unprocessable } from '../../../../platform/errors/app-error.js';
import type { LockedPlan } from '../account/locked-plan.js';
import type { PaymentSchedule } from '../account/payment-schedule.entity.js';

/** Balances a changed amount with the last other open installment, or not at all. */
export const REBALANCES = ['last_open', 'none'] as const;
export type Rebalance = (typeof REBALANCES)[number];

/**
 * Reduces open installments in this order, never below their paid amounts, and returns the rest. An installment that would have
 * nothing left is cancelled and keeps its last amount.
 */
export function reduceOpen(open: readonly PaymentSchedule[], cents: number): number {
  let left = cents;
  for (const installment of open) {
    const part = Math.min(left, installment.outstandingCents());
    if (part > 0) installment.reduce(part);
    left -= part;
  }
  return left;
}

/** Reduces the other open installments by an amount, the latest first. */
export function reduceOthers(plan: LockedPlan, installment: PaymentSchedule, cents: number): void {
  if (reduceOpen(plan.openExcept(installment), cents) > 0) throw mismatchOf(plan);
}

/** Adds an amount to the last other open installment; returns whether there was one. */
export function addToLast(plan: LockedPlan, installment: PaymentSchedule, cents: number): boolean {
  const [last] = plan.openExcept(installment);
  last?.resize(last.amountCents + cents);
  return last !== undefined;
}

/** Leaves a change unbalanced: the plan must equal its booking's total, or, if it was imported, deviate no more than before. */
export function acceptDeviation(plan: LockedPlan): void {
  const off = deviation(plan);
  if (magnitude(off) > magnitude(BigInt(plan.offByCents))) throw mismatchOf(plan);
  plan.plan.offByCents = Number(off);
}

/** Balances a new deviation with the other open installments. */
export function balancePlan(plan: LockedPlan, installment: PaymentSchedule): void {
  const over = Number(deviation(plan)) - plan.offByCents;
  if (over > 0) reduceOthers(plan, installment, over);
  else if (over < 0 && !addToLast(plan, installment, -over)) throw mismatchOf(plan);
}

function mismatchOf(plan: LockedPlan): AppError {
  return planTotalMismatch({ expected: plan.booking.totalCents ?? 0, actual: plan.sumCents() });
}

/** Makes the error for installments that add up to `actual` instead of the booking's total `expected`. */
export function planTotalMismatch({ expected, actual }: { expected: number; actual: bigint }): AppError {
  return unprocessable('plan_total_mismatch', 'Installments do not add up to the booking total', {
    field: 'amountCents',
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
