import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { extensible, named } from '../../../platform/http/named-values.js';

/** `skipped`: not sent, because the owner may no longer read the event, or the endpoint was disabled. */
export const DELIVERY_STATUSES = named('WebhookDeliveryStatus', ['pending', 'succeeded', 'failed', 'skipped']);
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why an attempt or a delivery failed, in the service's own words. */
export const DELIVERY_ERRORS = extensible('WebhookError', [
  'unexpected_status',
  'invalid_url',
  'address_not_allowed',
  'name_not_found',
  'connection_failed',
  'tls_failed',
  'timeout',
  'invalid_answer',
  'answer_too_large',
  'not_permitted',
  'endpoint_disabled',
  'event_expired',
  'secret_unavailable',
]);
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** An event on its way to an endpoint. */
@Entity('webhook_deliveries')
@Rights(DELETE)
@Unaudited('a log of its own')
export class WebhookDelivery {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'endpoint_id' }) endpointId: string;
  @Column('text', { name: 'event_id' }) eventId: string;
  @Column('text', { name: 'event_type' }) eventType: string;
  @Impersonal()
  @Column('text')
  subject: string;
  @Column('text') status: DeliveryStatus;
  /** Attempts that were started, those before a replay included. */
  @Column('integer') attempts: number;
  /** Attempts since the last replay, which determine the next delay. */
  @Column('integer') tries: number;
  @Column('timestamptz', { name: 'first_attempt_at', nullable: true }) firstAttemptAt: Date | null;
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true }) nextAttemptAt: Date | null;
  @Column('integer', { name: 'response_status', nullable: true }) responseStatus: number | null;
  @Impersonal()
  @Column('text', { nullable: true })
  error: DeliveryError | null;
  @Column('timestamptz', { name: 'completed_at', nullable: true }) completedAt: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
