import { conflict } from '../../../platform/errors/app-error.js';
import type { LockedPlan } from './locked-plan.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';
import { balancePlan } from './rebalance.js';
import type { ScheduleFacts } from './schedule-facts.dto.js';

/**
 * Has an entry as it was before a change; what that takes or gives is balanced by the other open ones, as the change was.
 * Throws 409 `schedule_paid`, `schedule_invoiced`, 422 `plan_total_mismatch`.
 */
export function restoreSchedule(plan: LockedPlan, entry: PaymentSchedule, facts: ScheduleFacts): void {
  const { label, dueDate, amountCents, status, waived, notes } = facts;
  if (entry.status === 'paid') throw conflict('schedule_paid', 'The installment is paid: reverse its payments first');
  const resizes = amountCents !== entry.amountCents || status !== entry.status;
  if (resizes && plan.isInvoiced(entry)) {
    throw conflict('schedule_invoiced', 'The installment is on an invoice; void the invoice first');
  }
  Object.assign(entry, { label, dueDate, notes });
  entry.resize(amountCents);
  if (status === 'cancelled') entry.cancel({ waived });
  else entry.waived = false;
  if (resizes) balancePlan(plan, entry);
}
