/** A session ends after 12 hours without use, and after 30 days in any case. */
export const IDLE_SECONDS = 12 * 60 * 60;
export const ABSOLUTE_SECONDS = 30 * 24 * 60 * 60;
