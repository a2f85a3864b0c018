const FIRST_MS = 5_000;
const LONGEST_MS = 15 * 60_000;
export const MAX_ATTEMPTS = 8;

/** How long to wait after so many attempts: 5 s, then twice as long each time, at most 15 minutes. */
export function backoffMs(attempts: number): number {
  return Math.min(FIRST_MS * 2 ** (attempts - 1), LONGEST_MS);
}
