import { dataOf } from '../../../platform/http/dto.js';
import { Id, Optional, Text } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { AnyJson, CheckedText, Instant } from '../../../platform/http/trade-fields.js';
import { CHANNEL_NAME, isId } from '../../../platform/ids/id.js';
import { EVENT_NAME } from '../../../platform/outbox/outbox.js';
import type { Message } from './message.js';

const MAX_DATA_BYTES = 65_536;
export const MAX_MESSAGES = 1_000;
const PUBLISHER = /^(platform|operator:[A-Za-z0-9_-]{1,64}|key:[A-Za-z0-9_]{1,90})$/;

/** A message to publish. */
export class PublishMessage {
  /**
   * Name of the event, chosen by the publisher.
   * @example "news.published"
   */
  @Text({ max: 200, pattern: EVENT_NAME, verbatim: true })
  event: string;

  /**
   * Any JSON value of at most 64 KiB, delivered unchanged; null by default.
   * @example { "headline": "New departures to Lofoten", "tours": ["prod_01k0dem000e000000000000006"] }
   */
  @Optional()
  @AnyJson({ maxBytes: MAX_DATA_BYTES })
  data?: unknown;
}

function MessageId(): PropertyDecorator {
  const message = '$property must be the id of a message';
  return CheckedText('messageId', (text) => isId('rtm', text), { max: 30, message });
}

/** The part of the history of a channel to return. */
export class ReadHistory {
  /**
   * Maximum number of messages, 1 to 1000; 100 by default.
   * @example 100
   */
  @Optional()
  @QueryWhole({ min: 1, max: MAX_MESSAGES })
  limit?: number;

  /**
   * ID of the last message that the reader has seen. The response starts with the message after it. By default the
   * newest messages are returned.
   */
  @Optional()
  @MessageId()
  sinceId?: string;
}

/** Start position of a live stream. */
export class FollowChannel {
  /**
   * ID of the last message that the client has seen, used if `Last-Event-ID` is not sent. The stream starts after it.
   * Without either, it contains only messages published from now on.
   */
  @Optional()
  @MessageId()
  sinceId?: string;
}

/** A message of a channel. */
export class MessageResponse {
  /**
   * Sorts after the IDs of all earlier messages of the channel.
   * @example "rtm_01k0dem000e008000000000001"
   */
  @Id('rtm')
  id: string;

  /**
   * Name of the channel of the message.
   * @example "demo.news"
   */
  @Text({ max: 164, pattern: CHANNEL_NAME })
  channel: string;

  /**
   * Name of the event, chosen by the publisher.
   * @example "news.published"
   */
  @Text({ max: 200, pattern: EVENT_NAME })
  event: string;

  /**
   * The JSON value as published.
   * @example { "headline": "New departures to Lofoten", "tours": ["prod_01k0dem000e000000000000006"] }
   */
  @AnyJson({ maxBytes: MAX_DATA_BYTES })
  data: unknown;

  /** Time of publication, set by the service; never earlier than the time of a previous message of the channel. */
  @Instant()
  publishedAt: string;

  /**
   * Publisher: `platform` for the service, which alone publishes the events of the catalog, `operator:<id>` for a key of that
   * operator, `key:<id>` for any other key. Null for messages from before publishers were recorded.
   * @example "platform"
   */
  @Text({ max: 100, pattern: PUBLISHER })
  publishedBy: string | null;
}

export function toMessage(message: Message): MessageResponse {
  return respond(MessageResponse, message);
}

export class MessageEnvelope extends dataOf(MessageResponse) {}
