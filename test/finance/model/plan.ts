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
  /** Of a policy step that is dated from the departure. */
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

/** finance.md 4.3: the installments of a plan that is made today. */
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

/** Section 6: open entries that the policy dates from the departure follow it; the others stay. */
export function redate(plan: readonly Installment[], policy: Policy, on: { today: string; departure: string }): void {
  const { today, departure } = on;
  let previous = '';
  for (const installment of plan.filter(({ status }) => status !== 'cancelled')) {
    if (isOpen(installment) && installment.offset !== null) {
      const due = later(days(departure, installment.offset), days(today, policy.floorDays));
      installment.due = later(earlier(due, departure), previous);
    }
    previous = later(previous, installment.due);
  }
}
