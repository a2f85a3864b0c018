import { named } from '../../../platform/http/named-values.js';
import { earlier } from '../../../platform/time/local-time.js';

export const RELEASE_MODES = named('ReleaseMode', ['automatic', 'manual']);
export type ReleaseMode = (typeof RELEASE_MODES)[number];

/**
 * The effect of a release on unsold units: it returns them to the pool, or to the supplier (the departure's capacity falls), or
 * only records them. Units of a cap are always in the pool; a release only lowers its limit.
 */
export const UNSOLD_ACTIONS = named('UnsoldAction', ['release_to_general_pool', 'expire', 'retain']);
export type UnsoldAction = (typeof UNSOLD_ACTIONS)[number];

export interface ReleaseStep {
  daysBefore: number;
  hoursBefore: number;
  keepQuantity: number;
}

/** Rule for releasing unsold units. A job executes the steps of an automatic rule; staff execute the steps of a manual one. */
export interface ReleaseRule {
  mode: ReleaseMode;
  steps: ReleaseStep[];
  unsoldAction: UnsoldAction;
  /** Whether the units of an executed step return if its departure moves, so that the step is due in the future again. */
  reclaimOnMove: boolean;
}

/** Units of one slot. */
export interface SlotUnits {
  allotted: number;
  sold: number;
  held: number;
  released: number;
  suspended: number;
}

/** Units that the channel may still sell. */
export function remainingOf({ allotted, sold, held, released, suspended }: SlotUnits): number {
  return allotted - sold - held - released - suspended;
}

/** Computes the due time of a step: local start, minus calendar days in the departure's time zone, minus elapsed hours. */
export function releaseInstant(
  { startsAt, timeZone }: { startsAt: Date; timeZone: string },
  { daysBefore, hoursBefore }: Pick<ReleaseStep, 'daysBefore' | 'hoursBefore'>,
): Date {
  return earlier(startsAt, { days: daysBefore, hours: hoursBefore, timeZone });
}

/** Returns the number of units that a step releases: the remaining units beyond those it keeps. */
export function unitsToRelease(slot: SlotUnits, keepQuantity: number): number {
  return Math.max(0, remainingOf(slot) - keepQuantity);
}

/**
 * Returns the number of units that a manual release leaves to the channel. With a manual rule, its due steps decide, or its
 * first step if none is due. With an automatic rule nothing is left.
 */
export function keptByHand(rule: ReleaseRule | null, start: { startsAt: Date; timeZone: string }, now: Date): number {
  if (rule?.mode !== 'manual') return 0;
  const steps = rule.steps.map((step) => ({ ...step, at: releaseInstant(start, step).getTime() }));
  const first = Math.min(...steps.map(({ at }) => at));
  const reached = steps.filter(({ at }) => at <= Math.max(first, now.getTime()));
  return Math.min(...reached.map(({ keepQuantity }) => keepQuantity));
}
