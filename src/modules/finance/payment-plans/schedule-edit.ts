import { conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import type { LockedPlan, NewEntry } from './locked-plan.js';
import type { PaymentSchedule, ScheduleStatus } from './payment-schedule.entity.js';
import { acceptDeviation, giveToLast, type Rebalance, takeForEntry } from './rebalance.js';

export interface ScheduleChanges {
  label?: string;
  dueDate?: string;
  amountCents?: number;
  status?: ScheduleStatus;
  notes?: string | null;
}

export interface EditRules {
  rebalance: Rebalance;
  allowAfterDeparture: boolean;
  departureDate: string | null;
  /** The organization's calendar day. */
  today: string;
  now: Date;
}

/**
 * Changes one entry of a plan, and those that balance it. Returns whether what is outstanding on it is to be recorded as
 * paid. Throws 409 `schedule_paid`, `schedule_cancelled`, `schedule_invoiced`, `schedule_has_payments`,
 * `invalid_transition`, 422 `amount_below_paid`, `plan_total_mismatch`, `due_date_after_departure`, 400.
 */
export function editSchedule(
  plan: LockedPlan,
  entry: PaymentSchedule,
  { changes, rules }: { changes: ScheduleChanges; rules: EditRules },
): { pays: boolean } {
  assertOpenTo(plan, entry, changes);
  const present = entry.effectiveStatus(rules.today);
  if (changes.label !== undefined) entry.label = changes.label;
  if (changes.notes !== undefined) entry.notes = changes.notes;
  if (changes.dueDate !== undefined && changes.dueDate !== entry.dueDate) {
    assertBeforeDeparture(changes.dueDate, rules);
    entry.dueDate = changes.dueDate;
  }
  if (changes.amountCents !== undefined && changes.amountCents !== entry.amountCents) {
    changeAmount(plan, entry, { amountCents: changes.amountCents, rules });
  }
  // Whoever sends back what he read, with another due date, sends the status that the entry had.
  const statuses = [undefined, present, entry.effectiveStatus(rules.today)];
  return statuses.includes(changes.status)
    ? { pays: false }
    : changeStatus(plan, entry, { status: changes.status, rules });
}

/** Throws 422 `due_date_after_departure`. */
export function assertBeforeDeparture(
  dueDate: string,
  { departureDate, allowAfterDeparture }: Pick<EditRules, 'departureDate' | 'allowAfterDeparture'>,
): void {
  if (allowAfterDeparture || departureDate === null || dueDate <= departureDate) return;
  throw unprocessable('due_date_after_departure', 'The due date is after the departure', { dueDate, departureDate });
}

/** What is settled or given up keeps its terms; what is invoiced keeps its amount. */
function assertOpenTo(plan: LockedPlan, entry: PaymentSchedule, changes: ScheduleChanges): void {
  const { dueDate = entry.dueDate, amountCents = entry.amountCents, status = entry.status } = changes;
  const moves = dueDate !== entry.dueDate || amountCents !== entry.amountCents;
  if (entry.status === 'paid' && (moves || status !== 'paid')) {
    throw conflict('schedule_paid', 'A paid installment cannot be changed; reverse its payments first');
  }
  if (entry.status === 'cancelled' && (moves || (status !== 'cancelled' && status !== 'pending'))) {
    throw conflict('schedule_cancelled', 'Restore the cancelled installment first');
  }
  const resizes = amountCents !== entry.amountCents || (status === 'cancelled' && entry.status !== 'cancelled');
  if (plan.isInvoiced(entry) && resizes) {
    throw conflict('schedule_invoiced', 'The installment is on an invoice; void the invoice first');
  }
}

function changeAmount(
  plan: LockedPlan,
  entry: PaymentSchedule,
  { amountCents, rules }: { amountCents: number; rules: EditRules },
): void {
  const { paidCents } = entry;
  if (amountCents < paidCents) {
    throw unprocessable('amount_below_paid', 'amountCents must not be below the amount already paid', {
      amountCents,
      paidCents,
    });
  }
  const more = amountCents - entry.amountCents;
  entry.resize(amountCents);
  if (rules.rebalance === 'none') acceptDeviation(plan);
  else if (more > 0) takeForEntry(plan, entry, more);
  else if (!giveToLast(plan, entry, -more)) plan.add(balanceOver(-more, entry.dueDate), rules.now);
}

/** What an entry leaves of a plan that has no other open one. */
export function balanceOver(amountCents: number, dueDate: string): NewEntry {
  return { type: 'balance', label: 'Balance', dueDate, amountCents, basis: 'manual' };
}

function changeStatus(
  plan: LockedPlan,
  entry: PaymentSchedule,
  { status, rules }: { status: ScheduleStatus | undefined; rules: EditRules },
): { pays: boolean } {
  if (status === 'overdue') {
    throw invalidField(
      'status',
      'Status overdue is computed from the due date and cannot be set',
      'status_not_settable',
    );
  }
  if (status === 'cancelled') cancel(plan, entry, rules);
  else if (status === 'pending') reopen(plan, entry, rules);
  return { pays: status === 'paid' };
}

function cancel(plan: LockedPlan, entry: PaymentSchedule, { rebalance }: EditRules): void {
  const { paidCents, amountCents } = entry;
  if (paidCents > 0) throw conflict('schedule_has_payments', 'Reverse its payments first', { paidCents });
  const moved = rebalance === 'last_open' && giveToLast(plan, entry, amountCents);
  entry.cancel({ waived: !moved });
}

function reopen(plan: LockedPlan, entry: PaymentSchedule, { rebalance }: EditRules): void {
  const { status, waived, amountCents } = entry;
  if (status !== 'cancelled') {
    throw conflict('invalid_transition', 'An overdue installment becomes pending by moving its due date', {
      from: 'overdue',
      to: 'pending',
      allowed: ['paid', 'cancelled'],
    });
  }
  entry.restore();
  if (waived) return;
  if (rebalance === 'none') acceptDeviation(plan);
  else takeForEntry(plan, entry, amountCents);
}
