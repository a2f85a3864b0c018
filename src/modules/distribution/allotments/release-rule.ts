import { named } from '../../../platform/http/named-values.js';
import { earlier } from '../../../platform/time/local-time.js';

export const RELEASE_MODES = named('ReleaseMode', ['automatic', 'manual']);
export type ReleaseMode = (typeof RELEASE_MODES)[number];

/**
 * The effect of a release on unsold units: it returns them to the pool, or to the supplier (the departure's capacity
 * falls), or only records them. Units of a cap are in the pool all the time; a release only lowers its limit.
 */
export const UNSOLD_ACTIONS = named('UnsoldAction', ['release_to_general_pool', 'expire', 'retain']);
export type UnsoldAction = (typeof UNSOLD_ACTIONS)[number];

export interface ReleaseStep {
  daysBefore: number;
  hoursBefore: number;
  keepQuantity: number;
}

/** When and how unsold units are released: the job executes the steps of an automatic rule, staff those of a manual one. */
export interface ReleaseRule {
  mode: ReleaseMode;
  steps: ReleaseStep[];
  unsoldAction: UnsoldAction;
  /** Whether the units of an executed step return if its departure moves, so that the step lies ahead again. */
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

/** When a step is due: local start, minus calendar days in the departure's time zone, minus elapsed hours. */
export function releaseInstant(
  { startsAt, timeZone }: { startsAt: Date; timeZone: string },
  { daysBefore, hoursBefore }: Pick<ReleaseStep, 'daysBefore' | 'hoursBefore'>,
): Date {
  return earlier(startsAt, { days: daysBefore, hours: hoursBefore, timeZone });
}

/** How many units a step releases: the remaining ones beyond those it keeps. */
export function unitsToRelease(slot: SlotUnits, keepQuantity: number): number {
  return Math.max(0, remainingOf(slot) - keepQuantity);
}

/**
 * How many units of a slot a release by hand leaves to the channel: with a manual rule, what its due steps keep, and before any
 * is due, what the first one keeps. With an automatic rule, whose steps the job executes, none.
 */
export function keptByHand(rule: ReleaseRule | null, start: { startsAt: Date; timeZone: string }, now: Date): number {
  if (rule?.mode !== 'manual') return 0;
  const steps = rule.steps.map((step) => ({ ...step, at: releaseInstant(start, step).getTime() }));
  const first = Math.min(...steps.map(({ at }) => at));
  const reached = steps.filter(({ at }) => at <= Math.max(first, now.getTime()));
  return Math.min(...reached.map(({ keepQuantity }) => keepQuantity));
}
