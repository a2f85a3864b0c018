import { dataOf } from '../../../platform/http/dto.js';
import { respond } from '../../../platform/http/respond.js';
import { Optional, Text, Texts } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CHANNEL_NAME } from '../../../platform/ids/id.js';
import { MAX_FOLLOWED, MAX_POSITION_LENGTH, POSITION } from '../live/stream-position.js';

/** The stream of all channels of a subscription. */
export const EVENTS_PATH = '/realtime/v1/events';

/** A subscription to create. */
export class CreateSubscription {
  /**
   * Names of the channels. Those that the caller may not read are left out of the subscription.
   * @example ["bookings", "operations.departures"]
   */
  @Texts({ min: 1, max: MAX_FOLLOWED, maxLength: 164, pattern: CHANNEL_NAME, unique: true })
  channels: string[];
}

/** Start position of a stream of several channels. */
export class FollowChannels {
  /** ID of the last event that the client has seen, used if `Last-Event-ID` is not sent. */
  @Optional()
  @Text({ max: MAX_POSITION_LENGTH, pattern: POSITION })
  sinceId?: string;
}

/** A token that opens streams of its channels. */
class SubscriptionResponse {
  /**
   * The value, sent as `Authorization: Bearer` to the realtime surface. It is returned only once and is absent when the response is
   * replayed for the same Idempotency-Key.
   */
  @Optional()
  @Text({ max: 200 })
  token?: string;

  /** Until then the token opens streams; an open stream continues until the session, token or key of the caller ends. */
  @Instant()
  expiresAt: string;

  /**
   * Names of the channels that the caller may read.
   * @example ["bookings", "operations.departures"]
   */
  @Texts({ min: 1, max: MAX_FOLLOWED, maxLength: 164, pattern: CHANNEL_NAME })
  channels: string[];
}

/** A ticket that opens one stream. */
class TicketResponse {
  /** The value, for the path of the stream. It is absent when the response is replayed for the same Idempotency-Key. */
  @Optional()
  @Text({ max: 200 })
  ticket?: string;

  /** A minute after its creation. */
  @Instant()
  expiresAt: string;
}

export function toSubscription(created: { token: string; expiresAt: Date; channels: string[] }): SubscriptionResponse {
  return respond(SubscriptionResponse, created);
}

export function toTicket(created: { ticket: string; expiresAt: Date }): TicketResponse {
  return respond(TicketResponse, created);
}

export class SubscriptionEnvelope extends dataOf(SubscriptionResponse) {}
export class TicketEnvelope extends dataOf(TicketResponse) {}
