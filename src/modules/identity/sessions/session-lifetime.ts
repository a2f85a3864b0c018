/** A session ends after 12 hours without use, and at the latest after 30 days. */
export const IDLE_SECONDS = 12 * 60 * 60;
export const ABSOLUTE_SECONDS = 30 * 24 * 60 * 60;
