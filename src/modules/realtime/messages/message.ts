/** `publishedBy` of the messages that the service itself publishes. */
export const PLATFORM = 'platform';

/** A message to publish: an event name and any JSON value. */
export interface Draft {
  channel: string;
  event: string;
  data: unknown;
  /** `platform`, `operator:<id>` for a key of an operator, or `key:<id>`; operator IDs have no colon. */
  publishedBy: string;
  /** The key that publishes; absent if the service itself does. */
  credentialId?: string;
}

/** A published message. Its id sorts after the ids of all earlier messages of its channel. */
export interface Message extends Omit<Draft, 'publishedBy' | 'credentialId'> {
  id: string;
  /** Null for messages that were stored before publishers were recorded. */
  publishedBy: string | null;
  publishedAt: Date;
}

const HOUR_MS = 3_600_000;
const KEPT_HOURS = 72;
const KEPT_EMPTY_DAYS = 30;

/** Messages kept per channel, the newest ones. */
export const KEPT_MESSAGES = 10_000;

/** Returns the time up to which messages are no longer kept. */
export function retentionLimit(now: Date): Date {
  return new Date(now.getTime() - KEPT_HOURS * HOUR_MS);
}

/**
 * Channels without a publication since this time are deleted. An empty channel is kept until then: a reader learns from the id
 * of its last message that it has missed none.
 */
export function channelRetentionLimit(now: Date): Date {
  return new Date(now.getTime() - KEPT_EMPTY_DAYS * 24 * HOUR_MS);
}
