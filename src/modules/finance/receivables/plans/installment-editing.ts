import { conflict, invalidField, unprocessable } from '../../../../platform/errors/app-error.js';
import type { LockedPlan, NewInstallment } from '../account/locked-plan.js';
import type {
  DateSource,
  InstallmentImage,
  PaymentSchedule,
  ScheduleStatus,
} from '../account/payment-schedule.entity.js';
import { acceptDeviation, addToLast, balancePlan, type Rebalance, reduceOthers } from './rebalance.js';

export interface InstallmentChanges {
  label?: string;
  dueDate?: string;
  amountCents?: number;
  status?: ScheduleStatus;
  notes?: string | null;
  waiveReason?: string | null;
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
 * Changes one installment of a plan, and the installments that balance it. Returns whether to record the outstanding amount as
 * paid.
 */
export function editInstallment(
  plan: LockedPlan,
  installment: PaymentSchedule,
  { changes, rules }: { changes: InstallmentChanges; rules: EditRules },
): { pays: boolean } {
  assertEditable(plan, installment, { changes, rules });
  const present = installment.effectiveStatus(rules.today);
  if (changes.label !== undefined) installment.label = changes.label;
  if (changes.notes !== undefined) installment.notes = changes.notes;
  if (changes.dueDate !== undefined && changes.dueDate !== installment.dueDate) {
    assertBeforeDeparture(changes.dueDate, rules);
    Object.assign(installment, { dueDate: changes.dueDate, dateSource: 'manual' });
  }
  if (changes.amountCents !== undefined && changes.amountCents !== installment.amountCents) {
    changeAmount(plan, installment, { amountCents: changes.amountCents, rules });
  }
  // A client that sends back the read installment with a new due date sends the old status.
  const statuses = [undefined, present, installment.effectiveStatus(rules.today)];
  const result = statuses.includes(changes.status)
    ? { pays: false }
    : changeStatus(plan, installment, { status: changes.status, rules });
  if (changes.waiveReason !== undefined && installment.waived) installment.waiveReason = changes.waiveReason;
  return result;
}

export function assertBeforeDeparture(
  dueDate: string,
  { departureDate, allowAfterDeparture }: Pick<EditRules, 'departureDate' | 'allowAfterDeparture'>,
): void {
  if (allowAfterDeparture || departureDate === null || dueDate <= departureDate) return;
  throw unprocessable('due_date_after_departure', 'The due date is after the departure', {
    field: 'dueDate',
    dueDate,
    departureDate,
  });
}

/** A paid or cancelled installment keeps its terms, and an invoiced one keeps its amount but can be waived. */
function assertEditable(
  plan: LockedPlan,
  installment: PaymentSchedule,
  { changes, rules }: { changes: InstallmentChanges; rules: EditRules },
): void {
  const { dueDate = installment.dueDate, amountCents = installment.amountCents, status = installment.status } = changes;
  const moves = dueDate !== installment.dueDate || amountCents !== installment.amountCents;
  if (installment.status === 'paid' && (moves || status !== 'paid')) {
    throw conflict('schedule_paid', 'A paid installment cannot be changed; reverse its payments first');
  }
  if (installment.status === 'cancelled' && (moves || (status !== 'cancelled' && status !== 'pending'))) {
    throw conflict('schedule_cancelled', 'Restore the cancelled installment first');
  }
  const waives = rules.rebalance === 'none' || plan.openExcept(installment).length === 0;
  const isMoved = status === 'cancelled' && installment.status !== 'cancelled' && !waives;
  const resizes = amountCents !== installment.amountCents || isMoved;
  if (plan.isInvoiced(installment) && resizes) {
    throw conflict('schedule_invoiced', 'The installment is on an invoice; void the invoice first');
  }
}

function changeAmount(
  plan: LockedPlan,
  installment: PaymentSchedule,
  { amountCents, rules }: { amountCents: number; rules: EditRules },
): void {
  const { paidCents } = installment;
  if (amountCents < paidCents) {
    throw unprocessable('amount_below_paid', 'amountCents must not be below the amount already paid', {
      field: 'amountCents',
      amountCents,
      paidCents,
    });
  }
  const more = amountCents - installment.amountCents;
  installment.resize(amountCents);
  if (rules.rebalance === 'none') acceptDeviation(plan);
  else if (more > 0) reduceOthers(plan, installment, more);
  else if (!addToLast(plan, installment, -more)) plan.add(balanceOver(-more, installment.dueDate), rules.now);
}

/** Handles a plan without another open installment. */
export function balanceOver(amountCents: number, dueDate: string): NewInstallment {
  return { type: 'balance', label: 'Balance', dueDate, amountCents, basis: 'manual' };
}

function changeStatus(
  plan: LockedPlan,
  installment: PaymentSchedule,
  { status, rules }: { status: ScheduleStatus | undefined; rules: EditRules },
): { pays: boolean } {
  if (status === 'overdue') {
    throw invalidField(
      'status',
      'Status overdue is computed from the due date and cannot be set',
      'status_not_settable',
    );
  }
  if (status === 'cancelled') cancel(plan, installment, rules);
  else if (status === 'pending') reopen(plan, installment, rules);
  return { pays: status === 'paid' };
}

function cancel(plan: LockedPlan, installment: PaymentSchedule, { rebalance }: EditRules): void {
  const { paidCents, amountCents } = installment;
  if (paidCents > 0)
    throw conflict('schedule_has_payments', 'The installment has payments; reverse them first', { paidCents });
  const moved = rebalance === 'last_open' && addToLast(plan, installment, amountCents);
  installment.cancel({ waived: !moved });
}

function reopen(plan: LockedPlan, installment: PaymentSchedule, { rebalance }: EditRules): void {
  const { status, waived, amountCents } = installment;
  if (status !== 'cancelled') {
    throw conflict('invalid_transition', 'To make an overdue installment pending, change its due date', {
      from: 'overdue',
      to: 'pending',
      allowed: ['paid', 'cancelled'],
    });
  }
  installment.restore();
  if (waived) return;
  if (rebalance === 'none') acceptDeviation(plan);
  else reduceOthers(plan, installment, amountCents);
}

/** Restores an installment to its state before a change; the other open ones balance its amount, as they did for the change. */
export function restoreInstallment(
  plan: LockedPlan,
  installment: PaymentSchedule,
  before: Pick<InstallmentImage, 'label' | 'dueDate' | 'amountCents' | 'waived' | 'notes'> & {
    status: ScheduleStatus;
    dateSource?: DateSource;
    waiveReason?: string | null;
  },
): void {
  const { label, dueDate, dateSource = installment.dateSource, amountCents, status, waived, notes } = before;
  // An installment keeps its last reason when it is no longer waived.
  const { waiveReason = installment.waiveReason } = waived ? before : installment;
  if (installment.status === 'paid') {
    throw conflict('schedule_paid', 'The installment is paid: reverse its payments first');
  }
  // A waived amount belongs to the plan, so restoring it changes no other installment.
  const isUnwaived = installment.waived && status !== 'cancelled';
  const resizes = amountCents !== installment.amountCents || (status !== installment.status && !isUnwaived);
  if (resizes && plan.isInvoiced(installment)) {
    throw conflict('schedule_invoiced', 'The installment is on an invoice; void the invoice first');
  }
  Object.assign(installment, { label, dueDate, dateSource, notes, waiveReason });
  installment.resize(amountCents);
  if (status === 'cancelled') installment.cancel({ waived });
  else installment.waived = false;
  if (resizes) balancePlan(plan, installment);
}
