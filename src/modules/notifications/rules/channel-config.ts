import { RECIPIENT_KINDS, type RecipientKind } from '../messages/notification-message.entity.js';

/** A channel as the client sent it. Its form is free; this file reads the known members. */
export type ChannelConfig = Record<string, unknown>;

const CHANNELS = ['email', 'sms', 'whatsapp', 'push', 'webhook', 'in_app'];

/** The kind of the channel, or `unknown`. */
export function channelOf({ channel, type }: ChannelConfig): string {
  return CHANNELS.find((known) => known === (channel ?? type)) ?? 'unknown';
}

/** Returns the channels that have runs: the first of each kind, because the recipient gets one message per kind. */
export function channelsWithRuns(channels: readonly ChannelConfig[]) {
  const kinds = channels.map(channelOf);
  return channels
    .map((config, position) => ({ config, position, channel: channelOf(config) }))
    .filter(({ channel, position }) => kinds.indexOf(channel) === position);
}

/** Only e-mail is supported so far. */
export function isSendable(config: ChannelConfig): boolean {
  return channelOf(config) === 'email';
}

export function hasUnknownRecipientKind({ recipientKind }: ChannelConfig): boolean {
  return (
    recipientKind !== undefined && recipientKind !== null && !RECIPIENT_KINDS.some((known) => known === recipientKind)
  );
}

export function recipientKindOf({ recipientKind }: ChannelConfig): RecipientKind {
  return RECIPIENT_KINDS.find((known) => known === recipientKind) ?? 'primary';
}

/** Returns the name of the template; null for the template of the trigger. */
export function namedTemplate({ templateId, templateSlug }: ChannelConfig): string | null {
  const named = templateId ?? templateSlug ?? null;
  return typeof named === 'string' || named === null ? named : '';
}
