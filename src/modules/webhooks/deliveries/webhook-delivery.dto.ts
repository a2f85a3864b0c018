import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import {
  DELIVERY_ERRORS,
  DELIVERY_STATUSES,
  type DeliveryError,
  type DeliveryStatus,
} from './webhook-delivery.entity.js';
import type { WebhookDelivery } from './webhook-delivery.entity.js';

const MAX_ATTEMPTS_SHOWN = 100;
const MAX_COUNT = 2_147_483_647;

export class ListWebhookDeliveries extends PageQuery {
  /** Only deliveries in one of these statuses. */
  @Optional()
  @AnyOf(DELIVERY_STATUSES)
  status?: DeliveryStatus[];

  /** Only deliveries of events with this name. */
  @Optional()
  @Text({ max: 200 })
  eventType?: string;

  /** Only deliveries that were created at this time or later. */
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only deliveries that were created before this time. */
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** The events to send again. */
export class ReplayWebhookEvents {
  /**
   * Start of the range: events that occurred at this time or later. Events are kept for 30 days.
   * @example "2026-11-30T00:00:00Z"
   */
  @Instant()
  from: string;

  /**
   * End of the range, exclusive; now by default.
   * @example "2026-12-01T00:00:00Z"
   */
  @Optional()
  @Instant()
  to?: string;

  /** Whether to resend events that the endpoint has already received; false by default. */
  @Optional()
  @Flag()
  includeSucceeded?: boolean;
}

/** An event on its way to an endpoint. */
export class WebhookDeliveryResponse {
  @Id('whd')
  id: string;

  /** Endpoint to which it is sent (prefix `whe`). */
  @Id('whe')
  endpointId: string;

  /** ID of the event: the header `webhook-id` of each attempt, by which the receiver recognizes repetitions. */
  @Text({ max: 100 })
  eventId: string;

  /** Name of the event. */
  @Text({ max: 200 })
  eventType: string;

  /** Record that the event is about. Deliveries of one subject are sent one after the other, in the order of their events. */
  @Text({ max: 300 })
  subject: string;

  /** `skipped`: not sent, because the owner may no longer read the event or the endpoint was disabled for 30 days. */
  @OneOf(DELIVERY_STATUSES)
  status: DeliveryStatus;

  /** Number of attempts that were started. */
  @Whole({ min: 0, max: MAX_COUNT })
  attempts: number;

  /** Earliest time of the next attempt; null if there is none. */
  @Instant()
  nextAttemptAt: string | null;

  /** HTTP status of the last answer; null without an answer. */
  @Whole({ min: 100, max: 999 })
  responseStatus: number | null;

  /** Why the last attempt failed; null if it did not. */
  @OneOf(DELIVERY_ERRORS)
  error: DeliveryError | null;

  /** When it succeeded, failed for good or was skipped; null while it is pending. */
  @Instant()
  completedAt: string | null;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** An attempt of a delivery. The body of the answer is not stored. */
class WebhookAttemptResponse {
  /** Number of the attempt; one is missing if the service was stopped during it. */
  @Whole({ min: 1, max: MAX_COUNT })
  number: number;

  /** When it started. */
  @Instant()
  startedAt: string;

  /** How long it took, in milliseconds. */
  @Whole({ min: 0, max: MAX_COUNT })
  durationMs: number;

  /** HTTP status of the answer; null without an answer. */
  @Whole({ min: 100, max: 999 })
  responseStatus: number | null;

  /** Why it failed; null if it did not. */
  @OneOf(DELIVERY_ERRORS)
  error: DeliveryError | null;
}

/** A delivery with its attempts. */
export class WebhookDeliveryDetailResponse extends WebhookDeliveryResponse {
  /** The last 100 attempts, newest first. */
  @ListOf(() => WebhookAttemptResponse, { max: MAX_ATTEMPTS_SHOWN })
  attemptLog: WebhookAttemptResponse[];
}

/** The number of events that are sent again. */
export class WebhookReplayResponse {
  /** Deliveries that were added or started again. */
  @Whole({ min: 0, max: MAX_COUNT })
  deliveries: number;
}

/** An attempt as the log stores it. */
export interface Attempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  responseStatus: number | null;
  error: DeliveryError | null;
}

export function toDelivery(delivery: WebhookDelivery): WebhookDeliveryResponse {
  return respond(WebhookDeliveryResponse, delivery);
}

export function toDeliveryDetail(
  delivery: WebhookDelivery,
  attempts: readonly Attempt[],
): WebhookDeliveryDetailResponse {
  const attemptLog = attempts.map((attempt) => respond(WebhookAttemptResponse, attempt));
  return respond(WebhookDeliveryDetailResponse, delivery, { attemptLog });
}

export class WebhookDeliveryEnvelope extends dataOf(WebhookDeliveryResponse) {}
export class WebhookDeliveryDetailEnvelope extends dataOf(WebhookDeliveryDetailResponse) {}
export class WebhookDeliveryPage extends pageOf(WebhookDeliveryResponse) {}
export class WebhookReplayEnvelope extends dataOf(WebhookReplayResponse) {}
