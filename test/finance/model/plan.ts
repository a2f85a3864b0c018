import { days } from '../payment-plans/plans.js';
import { rounded, sum } from './taxes.js';

export interface Step {
  label: string;
  type: string;
  percentBasisPoints?: number;
  fixedCents?: number;
  remainder?: true;
  anchor: 'booking' | 'departure';
  offsetDays: number;
}

export interface Policy {
  steps: Step[];
  minimumDays: number;
  floorDays: number;
  noDateDays: number | null;
  roundToCents: number | null;
}

export interface Installment {
  /** Null until it was read from the service. */
  id: string | null;
  position: number;
  due: string;
  amount: number;
  status: 'pending' | 'paid' | 'cancelled';
  waived: boolean;
  fee: boolean;
  /** Staff set the due date, which follows no departure. */
  fixed?: boolean;
  /** The offset of a policy step that counts from the departure. */
  offset: number | null;
}

type Planned = Pick<Installment, 'due' | 'amount' | 'offset'> & { type: string };

const DAY_MS = 86_400_000;

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** Days as text sort like days. */
const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);

/** Computes the installments of a plan made today (finance.md 4.3). */
export function planned(
  total: number,
  policy: Policy,
  { today, departure }: { today: string; departure: string | null },
) {
  if (total === 0) return [];
  const left = departure === null ? null : daysBetween(today, departure);
  const isAtOnce = left === null ? policy.noDateDays === null : left < 0 || left < policy.minimumDays;
  if (isAtOnce) return [{ due: today, amount: total, offset: null }];
  const amounts = amountsOf(total, policy);
  let previous = today;
  const entries = policy.steps.flatMap((step, index): Planned[] => {
    const amount = amounts[index] ?? 0;
    if (amount === 0) return [];
    previous = later(previous, dueOf(step, policy, { today, departure }));
    return [{ due: previous, amount, offset: step.anchor === 'departure' ? step.offsetDays : null, type: step.type }];
  });
  return merged(entries);
}

function amountsOf(total: number, { steps, roundToCents }: Policy): number[] {
  let left = total;
  const amounts = steps.map(({ percentBasisPoints, fixedCents = 0, remainder }) => {
    if (remainder) return 0;
    const unit = roundToCents ?? 1;
    const wanted =
      percentBasisPoints === undefined ? fixedCents : rounded(total * percentBasisPoints, 10_000 * unit) * unit;
    const amount = Math.min(wanted, left);
    left -= amount;
    return amount;
  });
  return steps.map(({ remainder }, index) => (remainder ? left : (amounts[index] ?? 0)));
}

function dueOf({ anchor, offsetDays }: Step, policy: Policy, on: { today: string; departure: string | null }): string {
  const { today, departure } = on;
  if (departure === null) return days(today, anchor === 'booking' ? offsetDays : (policy.noDateDays ?? 0));
  if (anchor === 'booking') return earlier(later(today, days(today, offsetDays)), departure);
  return earlier(later(days(departure, offsetDays), days(today, policy.floorDays)), departure);
}

/** Steps of one day merge; the merged one follows the departure if its balance does. */
function merged(entries: readonly Planned[]): Planned[] {
  const found: Planned[] = [];
  for (const entry of entries) {
    const same = found.find(({ due }) => due === entry.due);
    if (!same) found.push({ ...entry });
    else {
      const { offset, type } = entry.type === 'balance' ? entry : same;
      Object.assign(same, { amount: same.amount + entry.amount, offset, type });
    }
  }
  return found;
}

export const isOpen = ({ status }: Installment) => status === 'pending';

export function latestFirst(installments: readonly Installment[]): Installment[] {
  return [...installments].sort((a, b) => (a.due === b.due ? b.position - a.position : a.due < b.due ? 1 : -1));
}

export function firstDueFirst(installments: readonly Installment[]): Installment[] {
  return latestFirst(installments).reverse();
}

export function waivedOf(installments: readonly Installment[]): number {
  return sum(installments.filter(({ waived }) => waived).map(({ amount }) => amount));
}

/** Applies section 6: open entries that the policy dates from the departure follow it; the others are due by the departure. */
export function redate(plan: readonly Installment[], policy: Policy, on: { today: string; departure: string }): void {
  for (const { installment, due } of dates(plan, policy, { ...on, latest: on.departure })) installment.due = due;
}

/**
 * Applies finding D18: reopened installments follow a departure that moved meanwhile. A date between the step's date and the
 * date that it would get today stays.
 */
export function redateReopened(
  plan: readonly Installment[],
  policy: Policy,
  on: { today: string; departure: string; confirmedOn: string | null },
): void {
  const latest = later(on.departure, on.confirmedOn ?? on.departure);
  for (const { installment, due } of dates(plan, policy, { ...on, latest })) {
    const first = installment.offset === null ? '' : days(on.departure, installment.offset);
    if (installment.due < first || installment.due > due) installment.due = due;
  }
}

/** Computes the due dates of open entries in order; each depends on the previous one. */
function* dates(
  plan: readonly Installment[],
  policy: Policy,
  { today, departure, latest }: { today: string; departure: string; latest: string },
): Generator<{ installment: Installment; due: string }> {
  let previous = '';
  for (const installment of plan.filter(({ status, fee }) => status !== 'cancelled' && !fee)) {
    if (isOpen(installment) && !installment.fixed) {
      if (installment.offset === null) {
        yield { installment, due: earlier(installment.due, later(latest, today)) };
      } else {
        const due = later(days(departure, installment.offset), days(today, policy.floorDays));
        yield { installment, due: earlier(later(due, previous), latest) };
      }
    }
    previous = later(previous, installment.due);
  }
}
