import { dataOf } from '../../../platform/http/dto.js';
import { Id, Optional, Text } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { AnyJson, Instant, Worded } from '../../../platform/http/trade-fields.js';
import { isId } from '../../../platform/id.js';
import { CHANNEL_NAME, EVENT_NAME } from '../../../platform/outbox/outbox.js';
import type { Message } from './message.js';

const MAX_DATA_BYTES = 65_536;
export const MAX_MESSAGES = 1_000;

export class PublishMessage {
  /** The event's name.
   * @example "news.published" */
  @Text({ max: 200, pattern: EVENT_NAME, verbatim: true })
  event: string;

  /** Any JSON value of at most 64 KiB, kept as it is; null unless given.
   * @example { "headline": "New departures to Lofoten", "tours": ["northern-lights"] } */
  @Optional()
  @AnyJson({ maxBytes: MAX_DATA_BYTES })
  data?: unknown;
}

function MessageId(): PropertyDecorator {
  const message = '$property must be the id of a message';
  return Worded('messageId', (text) => isId('rtm', text), { max: 30, message });
}

export class ReadHistory {
  /** How many, 1 to 1000; 100 unless given.
   * @example 100 */
  @Optional()
  @QueryWhole({ min: 1, max: MAX_MESSAGES })
  limit?: number;

  /** The last message that the reader has seen: the answer holds the first ones after it. Without it, the newest ones. */
  @Optional()
  @MessageId()
  sinceId?: string;
}

export class FollowChannel {
  /** The last message that the client has seen, where it sends no `Last-Event-ID`: the stream starts after it. Without
   * either it holds only what is published from now on. */
  @Optional()
  @MessageId()
  sinceId?: string;
}

export class MessageResponse {
  /** Sorts after the ids of all earlier messages of the channel.
   * @example "rtm_01k0dem000e008000000000001" */
  @Id('rtm')
  id: string;

  /** @example "demo.news" */
  @Text({ max: 164, pattern: CHANNEL_NAME })
  channel: string;

  /** @example "news.published" */
  @Text({ max: 200, pattern: EVENT_NAME })
  event: string;

  /** As it was published.
   * @example { "headline": "New departures to Lofoten", "tours": ["northern-lights"] } */
  @AnyJson({ maxBytes: MAX_DATA_BYTES })
  data: unknown;

  /** Set by the service; never runs backwards within a channel. */
  @Instant()
  publishedAt: string;
}

export function toMessage(message: Message): MessageResponse {
  return {
    id: message.id,
    channel: message.channel,
    event: message.event,
    data: message.data,
    publishedAt: message.publishedAt.toISOString(),
  };
}

export class MessageEnvelope extends dataOf(MessageResponse) {}
