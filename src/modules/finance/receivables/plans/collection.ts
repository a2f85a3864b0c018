import { notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import type { ComputedPlan } from './plan.js';
import type {
  PaymentSchedule,
  ScheduleBasis,
  ScheduleStatus,
  ScheduleType,
} from '../account/payment-schedule.entity.js';

/** An entry of a collection plan: an existing installment, or one that would be created. */
export interface CollectionEntry {
  scheduleId: string | null;
  type: ScheduleType;
  label: string;
  dueDate: string;
  amountCents: number;
  paidCents: number;
  status: ScheduleStatus;
  basis: ScheduleBasis;
}

/** The amount to be collected now, and its entries. */
export interface Collectable {
  amountCents: number;
  entries: CollectionEntry[];
}

/** Entries sorted by due date. Statuses are computed for `today`. */
export function storedEntries(schedules: readonly PaymentSchedule[], today: string): CollectionEntry[] {
  const entries = schedules.map((schedule) => ({
    scheduleId: schedule.id,
    type: schedule.type,
    label: schedule.label,
    dueDate: schedule.dueDate,
    amountCents: schedule.amountCents,
    paidCents: schedule.paidCents,
    status: schedule.effectiveStatus(today),
    basis: schedule.basis,
  }));
  // The entries are sorted by position, and sorting keeps that order within a day.
  return entries.sort((a, b) => (a.dueDate < b.dueDate ? -1 : a.dueDate > b.dueDate ? 1 : 0));
}

export function computedEntries({ entries }: ComputedPlan): CollectionEntry[] {
  return entries.map(({ type, label, dueDate, amountCents, basis }) => {
    return { scheduleId: null, type, label, dueDate, amountCents, paidCents: 0, status: 'pending', basis };
  });
}

/** Returns the amount still to collect for an entry. */
export function outstandingOf({ status, amountCents, paidCents }: CollectionEntry): number {
  return status === 'cancelled' ? 0 : amountCents - paidCents;
}

export function sumOf(entries: readonly CollectionEntry[], figure: (entry: CollectionEntry) => number): number {
  return entries.reduce((sum, entry) => sum + figure(entry), 0);
}

/**
 * Returns the amount to collect now: the requested amount, the outstanding amount of the requested installment, everything due
 * until today, or the next entry.
 */
export function collectNow(
  entries: readonly CollectionEntry[],
  { amountCents, scheduleId, today }: { amountCents?: number; scheduleId?: string; today: string },
): Collectable {
  const open = entries.filter((entry) => outstandingOf(entry) > 0);
  const requested = entries.find((entry) => entry.scheduleId === scheduleId);
  if (scheduleId !== undefined && !requested) throw notFound({ field: 'scheduleId' });
  if (amountCents !== undefined) return exactly(amountCents, open);

  const due = open.filter(({ dueDate }) => dueDate <= today);
  const selected =
    scheduleId !== undefined ? open.filter((entry) => entry === requested) : due.length > 0 ? due : open.slice(0, 1);
  return { amountCents: sumOf(selected, outstandingOf), entries: selected };
}

/** Returns the entries that this amount settles, the oldest first. */
function exactly(amountCents: number, open: readonly CollectionEntry[]): Collectable {
  const outstandingCents = sumOf(open, outstandingOf);
  if (amountCents > outstandingCents) {
    throw unprocessable('amount_exceeds_outstanding', 'amountCents exceeds the outstanding amount', {
      field: 'amountCents',
      amountCents,
      outstandingCents,
    });
  }
  let left = amountCents;
  const entries = open.filter((entry) => {
    const isSelected = left > 0;
    left -= outstandingOf(entry);
    return isSelected;
  });
  return { amountCents, entries };
}
