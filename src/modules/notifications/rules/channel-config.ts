import { isLive, LIVE_TRIGGERS, type Trigger } from './reminder-trigger.js';

/** A channel as staff wrote it: free-form, of which these members are understood. */
export type ChannelConfig = Record<string, unknown>;

export const RECIPIENT_KINDS = ['primary', 'cc', 'bcc'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];

const CHANNELS = ['email', 'sms', 'whatsapp', 'push', 'webhook', 'in_app'];

/** The kind of the channel, `unknown` where it names none that is known. */
export function channelOf({ channel, type }: ChannelConfig): string {
  return CHANNELS.find((known) => known === (channel ?? type)) ?? 'unknown';
}

/**
 * Those that lead to runs, each with its place in the stage: of one kind the first alone, because there is one reader, and
 * he is reminded by it once.
 */
export function channelsWithRuns(channels: readonly ChannelConfig[]) {
  const kinds = channels.map(channelOf);
  return channels
    .map((config, position) => ({ config, position, channel: channelOf(config) }))
    .filter(({ channel, position }) => kinds.indexOf(channel) === position);
}

/** Only mails can be sent so far. */
export function isSendable(config: ChannelConfig): boolean {
  return channelOf(config) === 'email';
}

/** Whether it says how the recipient is named, and not in words that are understood. */
export function hasOddRecipientKind({ recipientKind }: ChannelConfig): boolean {
  return (
    recipientKind !== undefined && recipientKind !== null && !RECIPIENT_KINDS.some((known) => known === recipientKind)
  );
}

export function recipientKindOf({ recipientKind }: ChannelConfig): RecipientKind {
  return RECIPIENT_KINDS.find((known) => known === recipientKind) ?? 'primary';
}

/** The built-in templates: one for each trigger that leads to runs, called as it is (`balance-due`). */
export function templateOf(trigger: Trigger, { templateId, templateSlug }: ChannelConfig) {
  const named = templateId ?? templateSlug;
  if (named === undefined || named === null) return isLive(trigger) ? trigger : null;
  return LIVE_TRIGGERS.find((live) => live.replaceAll('_', '-') === named) ?? null;
}
