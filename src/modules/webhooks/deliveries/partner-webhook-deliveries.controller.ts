import { ApiOperation } from '@nestjs/swagger';
import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { toEndpoint, WebhookEndpointResponse } from '../endpoints/webhook-endpoint.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import {
  ListWebhookDeliveries,
  ReplayWebhookEvents,
  toDelivery,
  toDeliveryDetail,
  WebhookDeliveryDetailResponse,
  WebhookDeliveryPage,
  WebhookDeliveryResponse,
  WebhookReplayResponse,
} from './webhook-delivery.dto.js';

@ApiGroup('Connect: Webhooks')
@Controller('/connect/v1/webhooks')
export class PartnerWebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  /**
   * Activate a webhook endpoint of the operator
   *
   * @remarks Sending resumes, starting with the pending deliveries. Request a replay of the events that the endpoint missed while it
   * was disabled.
   */
  @ApiOperation({ operationId: 'partnerWebhookEndpoints_activate' })
  @Post('endpoints/:endpointId/activation')
  @HttpCode(200)
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.activate', { irreversible: 'Only the service disables an endpoint: delete it instead' })
  @Refuses({ 409: ['invalid_transition'] })
  async activate(
    @PathId('whe', 'endpointId', 8) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<WebhookEndpointResponse> {
    const view = await this.deliveries.activate(id, expected);
    return tagged(view.endpoint, toEndpoint(view));
  }

  /**
   * Send a test event to an endpoint of the operator
   *
   * @remarks Sends an event `webhook.test` to this endpoint only and returns its delivery, which is attempted at once.
   */
  @ApiOperation({ operationId: 'partnerWebhookEndpoints_sendTest' })
  @Post('endpoints/:endpointId/test-events')
  @HttpCode(200)
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.test', { irreversible: 'The event was sent; it has no effect' })
  @Refuses({ 409: ['endpoint_disabled'] })
  async sendTest(@PathId('whe', 'endpointId', 5) id: string, @NoBody() _body: null): Promise<WebhookDeliveryResponse> {
    return toDelivery(await this.deliveries.sendTest(id));
  }

  /**
   * Replay events of a range to an endpoint of the operator
   *
   * @remarks Sends the events of the range that the endpoint wants, at most 10,000: those that it has not received, or with
   * `includeSucceeded` all. Each has the `webhook-id` that it had before, and comes after the other deliveries of its subject.
   */
  @ApiOperation({ operationId: 'partnerWebhookEndpoints_replay' })
  @Post('endpoints/:endpointId/replays')
  @HttpCode(200)
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.replay', { irreversible: 'The events were sent again; their IDs show that' })
  @Refuses({ 409: ['endpoint_disabled'], 422: ['range_empty', 'replay_too_large'] })
  async replayRange(
    @PathId('whe', 'endpointId', 5) id: string,
    @Body() body: ReplayWebhookEvents,
  ): Promise<WebhookReplayResponse> {
    return { deliveries: await this.deliveries.replayRange(id, body) };
  }

  /**
   * List the deliveries of a webhook endpoint of the operator
   *
   * @remarks Returns a page of deliveries, newest first unless `sort` is given. They are kept for 30 days.
   */
  @Get('endpoints/:endpointId/deliveries')
  @RequireScope('connect:webhooks:read')
  async list(
    @PathId('whe', 'endpointId', 5) id: string,
    @Query() query: ListWebhookDeliveries,
  ): Promise<WebhookDeliveryPage> {
    const { rows, total } = await this.deliveries.list(id, query);
    return { data: rows.map(toDelivery), total, ...pageBounds(query) };
  }

  /**
   * Get a webhook delivery of the operator
   *
   * @remarks Returns the delivery with its attempts.
   */
  @Get('deliveries/:deliveryId')
  @RequireScope('connect:webhooks:read')
  async get(@PathId('whd', 'deliveryId', 3) id: string): Promise<WebhookDeliveryDetailResponse> {
    const { delivery, attempts } = await this.deliveries.get(id);
    return toDeliveryDetail(delivery, attempts);
  }

  /**
   * Replay a webhook delivery of the operator
   *
   * @remarks Sends the event again with the same `webhook-id`, after the other deliveries of its subject. Rejected while the delivery is
   * pending.
   */
  @Post('deliveries/:deliveryId/replays')
  @HttpCode(200)
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.delivery.replay', { irreversible: 'The event was sent again; its ID shows that' })
  @Refuses({ 409: ['delivery_pending', 'endpoint_disabled', 'event_expired'] })
  async replay(@PathId('whd', 'deliveryId', 4) id: string, @NoBody() _body: null): Promise<WebhookDeliveryResponse> {
    return toDelivery(await this.deliveries.replay(id));
  }
}
