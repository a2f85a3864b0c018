import { randomInt } from 'node:crypto';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds after each failed attempt; the last one repeats. */
const DELAYS = [5, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];
const GIVE_UP_SECONDS = 72 * HOUR;
const MAX_RETRY_AFTER_SECONDS = 12 * HOUR;
/** Retries of many deliveries that failed together must not arrive together. */
const JITTER = 0.1;

/** The state of a delivery after a failed attempt. */
export interface FailedDelivery {
  /** Attempts since the first one or the last replay. */
  tries: number;
  firstAttemptAt: Date;
  now: Date;
  /** What the receiver asked for in `Retry-After`, in seconds. */
  retryAfterSeconds?: number | null;
}

/** The time of the next attempt; null when 72 hours have passed since the first one. The last attempt is made at their end. */
export function nextAttemptAt(
  { tries, firstAttemptAt, now, retryAfterSeconds = null }: FailedDelivery,
  random = (): number => randomInt(1_000) / 1_000,
): Date | null {
  const end = firstAttemptAt.getTime() + GIVE_UP_SECONDS * 1000;
  if (now.getTime() >= end) return null;
  const delay = DELAYS[Math.min(tries, DELAYS.length) - 1] ?? 0;
  const jittered = delay * (1 + JITTER * (2 * random() - 1));
  const seconds = Math.max(jittered, Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS));
  return new Date(Math.min(now.getTime() + seconds * 1000, end));
}

/** Reads `Retry-After`: seconds, or a date. */
export function retryAfterOf(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
