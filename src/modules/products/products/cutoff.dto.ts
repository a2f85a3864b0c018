import { invalidField } from '../../../platform/errors/app-error.js';
import { Clearable, Text, Whole } from '../../../platform/http/fields.js';

/** A time of a day, `HH:MM`. */
export const LOCAL_TIME = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;

/** The end of sales: minutes before the start, or a local time some days before it. */
export type Cutoff = { minutesBefore: number } | { daysBefore: number; at: string };

/** The end of sales: either `minutesBefore`, or `daysBefore` and `at`. */
export class CutoffBody {
  /**
   * Minutes before the start.
   * @example 90
   */
  @Clearable()
  @Whole({ min: 0, max: 525_600 })
  minutesBefore?: number | null;

  /** Calendar days before the local day of the start; 0 is the day itself. */
  @Clearable()
  @Whole({ min: 0, max: 365 })
  daysBefore?: number | null;

  /** Local time of that day in the time zone of the departure, `HH:MM`; sales end at the start at the latest. */
  @Clearable()
  @Text({ max: 5, pattern: LOCAL_TIME })
  at?: string | null;
}

/** The end of sales: either `minutesBefore` is set, or `daysBefore` and `at`. */
export class CutoffResponse {
  /** Minutes before the start; null if `daysBefore` is set. */
  @Whole({ min: 0, max: 525_600 })
  minutesBefore: number | null;

  /** Calendar days before the local day of the start; null if `minutesBefore` is set. */
  @Whole({ min: 0, max: 365 })
  daysBefore: number | null;

  /** Local time of that day, `HH:MM`; null if `minutesBefore` is set. */
  @Text({ max: 5, pattern: LOCAL_TIME })
  at: string | null;
}

export function toCutoff(cutoff: Cutoff): CutoffResponse {
  if ('minutesBefore' in cutoff) return { minutesBefore: cutoff.minutesBefore, daysBefore: null, at: null };
  return { minutesBefore: null, daysBefore: cutoff.daysBefore, at: cutoff.at };
}

/** Reads the cut-off of a request, which must have exactly one of the two forms. */
export function cutoffOf(
  body: { minutesBefore?: number | null; daysBefore?: number | null; at?: string | null } | null,
): Cutoff | null {
  if (body === null) return null;
  const { minutesBefore = null, daysBefore = null, at = null } = body;
  if (minutesBefore !== null && daysBefore === null && at === null) return { minutesBefore };
  if (minutesBefore === null && daysBefore !== null && at !== null) return { daysBefore, at };
  throw invalidField('cutoff', 'cutoff must have either minutesBefore, or daysBefore and at', 'exactly_one');
}
