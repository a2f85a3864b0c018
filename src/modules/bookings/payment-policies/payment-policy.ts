import { named } from '../../../platform/http/named-values.js';
import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';

export const STEP_TYPES = named('PaymentStepType', ['deposit', 'installment', 'balance']);
export type StepType = (typeof STEP_TYPES)[number];

/** The date from which a step's due date counts. */
export const STEP_ANCHORS = named('PaymentStepAnchor', ['booking', 'departure']);
export type StepAnchor = (typeof STEP_ANCHORS)[number];

/** One step of a policy. Its amount is given in exactly one of three ways. */
export interface PolicyStep {
  label: string;
  type: StepType;
  percentBasisPoints: number | null;
  fixedCents: number | null;
  /** Takes the remainder of the other steps. */
  remainder: boolean;
  anchor: StepAnchor;
  offsetDays: number;
}

/** The rule from which a plan is computed; days are calendar days of the organization. */
export interface PaymentPolicy {
  steps: readonly PolicyStep[];
  /** Fewer days than this until departure: everything is due today. */
  minimumDays: number;
  /** The earliest due date of a step that counts from the departure, in days from today. */
  floorDays: number;
  /** Days from today until payment is due if there is no departure date; null means today. */
  noDateDays: number | null;
  /** Every step but the remainder is rounded to a multiple of this. */
  roundToCents: number | null;
}

const ALL_BASIS_POINTS = 10_000;

type Given<T> = { [K in keyof T]?: T[K] | undefined };

/** A policy as a client sends it, without members that have defaults. */
export interface GivenPolicy extends Given<Omit<PaymentPolicy, 'steps'>> {
  steps: readonly (Given<Pick<PolicyStep, 'percentBasisPoints' | 'fixedCents' | 'remainder'>> &
    Pick<PolicyStep, 'label' | 'type' | 'anchor' | 'offsetDays'>)[];
}

/**
 * Applies the defaults. The amount of a step must be given in exactly one way, the percentages must not exceed 100 %, and
 * exactly one step must take the rest.
 */
export function completePolicy(given: GivenPolicy, path: string): PaymentPolicy {
  const steps = given.steps.map(({ label, type, anchor, offsetDays, ...amount }, index): PolicyStep => {
    const { percentBasisPoints = null, fixedCents = null, remainder = false } = amount;
    const ways = [percentBasisPoints !== null, fixedCents !== null, remainder].filter(Boolean).length;
    if (ways !== 1) {
      const complaint = 'A step takes a percentage, a fixed amount or the remainder';
      throw invalidField(path === '' ? `steps.${index}` : `${path}.steps.${index}`, complaint, 'one_amount');
    }
    return { label, type, percentBasisPoints, fixedCents, remainder, anchor, offsetDays };
  });
  const { minimumDays = 0, floorDays = 0, noDateDays = null, roundToCents = null } = given;
  const policy = { steps, minimumDays, floorDays, noDateDays, roundToCents };
  assertPolicy(policy, path);
  return policy;
}

/** The percentages must not exceed 100 %, and exactly one step must take the rest. */
function assertPolicy({ steps }: PaymentPolicy, path: string): void {
  const percentBasisPoints = steps.reduce((sum, step) => sum + (step.percentBasisPoints ?? 0), 0);
  const remainders = steps.filter(({ remainder }) => remainder).length;
  if (percentBasisPoints > ALL_BASIS_POINTS || remainders !== 1) {
    throw unprocessable(
      'invalid_payment_policy',
      'Percentages exceed 100 %, or there is not exactly one remainder step',
      {
        field: path === '' ? 'steps' : `${path}.steps`,
        percentBasisPoints,
        remainders,
      },
    );
  }
}
