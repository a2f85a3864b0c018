/** What is to be published: an event of this name, with any JSON value beside it. */
export interface Draft {
  channel: string;
  event: string;
  data: unknown;
}

/** A published message. Its id sorts after those of all earlier messages of its channel. */
export interface Message extends Draft {
  id: string;
  publishedAt: Date;
}

/** For how long a message is kept. */
const KEPT_HOURS = 72;

/** How many messages of a channel are kept, the newest ones. */
export const KEPT_MESSAGES = 10_000;

/** Messages that were published at this time or before are past theirs. */
export function retentionLimit(now: Date): Date {
  return new Date(now.getTime() - KEPT_HOURS * 3_600_000);
}
