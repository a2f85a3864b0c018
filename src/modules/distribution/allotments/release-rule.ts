import { named } from '../../../platform/http/named-values.js';
import { earlier } from '../../../platform/time/local-time.js';

export const RELEASE_MODES = named('ReleaseMode', ['automatic', 'manual']);
export type ReleaseMode = (typeof RELEASE_MODES)[number];

/**
 * What becomes of units that were not sold in time: back into the pool; back to the supplier, so that the departure has
 * fewer; or nothing but that it is recorded. Of a cap they are in the pool all along, and only its ceiling falls.
 */
export const UNSOLD_ACTIONS = named('UnsoldAction', ['release_to_general_pool', 'expire', 'retain']);
export type UnsoldAction = (typeof UNSOLD_ACTIONS)[number];

export interface ReleaseStep {
  daysBefore: number;
  hoursBefore: number;
  keepQuantity: number;
}

/** When and how unsold units are given back. The job follows the steps of an automatic one; of a manual one staff do. */
export interface ReleaseRule {
  mode: ReleaseMode;
  steps: ReleaseStep[];
  unsoldAction: UnsoldAction;
}

/** Units of one slot. */
export interface SlotUnits {
  allotted: number;
  sold: number;
  released: number;
}

/** Units that the channel may still sell. */
export function remainingOf({ allotted, sold, released }: SlotUnits): number {
  return allotted - sold - released;
}

/** When a step is due: local start, minus calendar days in the departure's time zone, minus elapsed hours. */
export function releaseInstant(
  { startsAt, timeZone }: { startsAt: Date; timeZone: string },
  { daysBefore, hoursBefore }: Pick<ReleaseStep, 'daysBefore' | 'hoursBefore'>,
): Date {
  return earlier(startsAt, { days: daysBefore, hours: hoursBefore, timeZone });
}

/** How many units a step gives back: what is left beyond those it keeps. */
export function unitsToRelease(slot: SlotUnits, keepQuantity: number): number {
  return Math.max(0, remainingOf(slot) - keepQuantity);
}

/**
 * What a release by hand leaves to the channel on a slot: of a manual rule what its steps that are due by now keep; while
 * none is, staff take the first one early. Of an automatic one the job follows the steps, and by hand nothing is kept.
 */
export function keptByHand(rule: ReleaseRule | null, start: { startsAt: Date; timeZone: string }, now: Date): number {
  if (rule?.mode !== 'manual') return 0;
  const steps = rule.steps.map((step) => ({ ...step, at: releaseInstant(start, step).getTime() }));
  const first = Math.min(...steps.map(({ at }) => at));
  const taken = steps.filter(({ at }) => at <= Math.max(first, now.getTime()));
  return Math.min(...taken.map(({ keepQuantity }) => keepQuantity));
}
