import { divideRounded } from '../../../../platform/money/money.js';
import type { PaymentPolicy, PolicyStep } from '../../../bookings/index.js';
import { dayNumber, dayOf } from '../account/day-numbers.js';

/** Origin of a planned entry: a step that counts from the booking or the departure, or the whole amount in one entry. */
export type PlanBasis = 'booking' | 'departure' | 'full';

export interface PlannedInstallment {
  type: PolicyStep['type'];
  label: string;
  dueDate: string;
  amountCents: number;
  basis: PlanBasis;
  /** For a step that counts from the departure, its due date minus the departure, in days. */
  offsetDays: number | null;
}

export interface PlanInput {
  totalCents: number;
  /** The organization's calendar day. */
  today: string;
  departureDate: string | null;
  /** If it is null, none is configured and the whole amount is due today. */
  policy: PaymentPolicy | null;
}

export interface ComputedPlan {
  entries: PlannedInstallment[];
  warnings: 'departure_past'[];
}

interface Share {
  step: PolicyStep;
  amountCents: number;
}

const ALL_BASIS_POINTS = 10_000n;
const WHOLE_LABEL = 'Full payment';

/**
 * Computes the installments of a plan. The amounts add up to the total and none is 0. The due dates ascend, are not before
 * today, and not after a future departure. A total of 0 has no entries.
 */
export function computePlan({ totalCents, today, departureDate, policy }: PlanInput): ComputedPlan {
  if (totalCents === 0) return { entries: [], warnings: [] };

  const now = dayNumber(today);
  const departure = departureDate === null ? null : dayNumber(departureDate);
  const isPast = departure !== null && departure < now;
  const warnings: ComputedPlan['warnings'] = isPast ? ['departure_past'] : [];
  if (policy === null || isPast || isDueAtOnce(policy, departure, now)) {
    return { entries: [whole({ dueDate: today, amountCents: totalCents, basis: 'full', offsetDays: null })], warnings };
  }

  const entries = merged(dated(shares(totalCents, policy), { policy, departure, now }));
  const [only] = entries;
  return { entries: only && entries.length === 1 ? [whole(only)] : entries, warnings };
}

function isDueAtOnce({ minimumDays, noDateDays }: PaymentPolicy, departure: number | null, now: number): boolean {
  return departure === null ? noDateDays === null : departure - now < minimumDays;
}

/** Each step gets at most the amount left by the earlier ones; the remainder step gets the rest, at any position. */
function shares(totalCents: number, { steps, roundToCents }: PaymentPolicy): Share[] {
  let left = BigInt(totalCents);
  const taken = steps.map((step) => {
    const wanted = step.remainder ? 0n : wantedBy(step, BigInt(totalCents), BigInt(roundToCents ?? 1));
    const amount = wanted < left ? wanted : left;
    left -= amount;
    return { step, amount };
  });
  return taken
    .map(({ step, amount }) => ({ step, amountCents: Number(step.remainder ? left : amount) }))
    .filter(({ amountCents }) => amountCents > 0);
}

/** Rounds a percentage once, to the multiple; a fixed amount is not rounded. */
function wantedBy({ percentBasisPoints, fixedCents }: PolicyStep, total: bigint, multiple: bigint): bigint {
  return percentBasisPoints === null
    ? BigInt(fixedCents ?? 0)
    : divideRounded(total * BigInt(percentBasisPoints), ALL_BASIS_POINTS * multiple) * multiple;
}

interface Calendar {
  policy: PaymentPolicy;
  departure: number | null;
  now: number;
}

function dated(steps: readonly Share[], calendar: Calendar): PlannedInstallment[] {
  let previous = calendar.now;
  return steps.map(({ step, amountCents }) => {
    previous = Math.max(previous, dueOf(step, calendar));
    return { type: step.type, label: step.label, dueDate: dayOf(previous), amountCents, ...originOf(step) };
  });
}

function originOf({ anchor, offsetDays }: PolicyStep): Pick<PlannedInstallment, 'basis' | 'offsetDays'> {
  return { basis: anchor, offsetDays: anchor === 'departure' ? offsetDays : null };
}

/** The due date is never after the departure. */
function dueOf({ anchor, offsetDays }: PolicyStep, { policy, departure, now }: Calendar): number {
  if (departure === null) return anchor === 'booking' ? now + offsetDays : now + (policy.noDateDays ?? 0);
  const due = anchor === 'booking' ? now + offsetDays : Math.max(departure + offsetDays, now + policy.floorDays);
  return Math.min(due, departure);
}

/** Merges steps of one day into one entry: a balance if one of them is one, otherwise the type of the first one. */
function merged(entries: readonly PlannedInstallment[]): PlannedInstallment[] {
  const days = new Map<string, PlannedInstallment>();
  for (const entry of entries) {
    const earlier = days.get(entry.dueDate);
    if (!earlier) days.set(entry.dueDate, { ...entry });
    else {
      const { type, label, basis, offsetDays } = entry.type === 'balance' ? entry : earlier;
      Object.assign(earlier, { type, label, basis, offsetDays, amountCents: earlier.amountCents + entry.amountCents });
    }
  }
  return [...days.values()];
}

function whole({
  dueDate,
  amountCents,
  basis,
  offsetDays,
}: Omit<PlannedInstallment, 'type' | 'label'>): PlannedInstallment {
  return { type: 'balance', label: WHOLE_LABEL, dueDate, amountCents, basis, offsetDays };
}
