import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreatedWebhookEndpoint,
  CreateWebhookEndpoint,
  ListPartnerWebhookEndpoints,
  RotateWebhookSecret,
  toCreatedEndpoint,
  toEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointPage,
  WebhookEndpointResponse,
} from './webhook-endpoint.dto.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

const PATH = '/connect/v1/webhooks/endpoints';

@ApiGroup('Connect: Webhooks', {
  position: 267,
  description:
    'Connect: receivers to which the service sends the events of an operator, by the specification Standard Webhooks.',
})
@Controller(PATH)
export class PartnerWebhookEndpointsController {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  /**
   * Create a webhook endpoint of the operator
   *
   * @remarks From now on the receiver gets these events as `POST` with the body `{"type", "timestamp", "data"}` and the headers
   * `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks. The endpoint belongs to the operator of the caller: all
   * its credentials see it, and it receives the events of the operator while the operator is active. The caller also needs
   * `connect:events:read`. An operator has at most 50 endpoints. Messages that the operator publishes itself are not sent.
   */
  @Post()
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.create', {
    irreversible: 'Events may have been sent already: delete the endpoint',
    secrets: ['secret'],
  })
  @BodyExample({
    url: 'https://hooks.example.com/reservations',
    description: 'Reservations',
    eventTypes: ['partner_booking.*'],
  })
  @Refuses({ 409: ['endpoint_limit_reached'], 422: ['unknown_event_type', 'url_not_allowed'] })
  async create(@Body() body: CreateWebhookEndpoint): Promise<CreatedWebhookEndpoint> {
    const view = await this.endpoints.create(body);
    return created(`${PATH}/${view.endpoint.id}`, view.endpoint, toCreatedEndpoint(view));
  }

  /**
   * List the webhook endpoints of the operator
   *
   * @remarks Returns a page of the endpoints of the operator, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('connect:webhooks:read')
  async list(@Query() query: ListPartnerWebhookEndpoints): Promise<WebhookEndpointPage> {
    const { views, total } = await this.endpoints.list(query);
    return { data: views.map(toEndpoint), total, ...pageBounds(query) };
  }

  /**
   * Get a webhook endpoint of the operator
   *
   * @remarks Returns the endpoint with its live secrets, without their values.
   */
  @Get(':endpointId')
  @RequireScope('connect:webhooks:read')
  async get(@PathId('whe', 'endpointId', 5) id: string): Promise<WebhookEndpointResponse> {
    const view = await this.endpoints.get(id);
    return tagged(view.endpoint, toEndpoint(view));
  }

  /**
   * Update a webhook endpoint of the operator
   *
   * @remarks Changes only the fields that are sent. Deliveries that wait go to the new address. The caller also needs
   * `connect:events:read`.
   */
  @Patch(':endpointId')
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.update', { irreversible: 'Events may have been sent already: update the endpoint again' })
  @BodyExample({ description: 'Reservations, new system' })
  @Refuses({ 422: ['unknown_event_type', 'url_not_allowed'] })
  async update(
    @PathId('whe', 'endpointId', 6) id: string,
    @Body() body: UpdateWebhookEndpoint,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<WebhookEndpointResponse> {
    const view = await this.endpoints.update(id, body, expected);
    return tagged(view.endpoint, toEndpoint(view));
  }

  /**
   * Delete a webhook endpoint of the operator
   *
   * @remarks Deletes the endpoint with its secrets, and returns it as it was. Deliveries that wait are not sent; the log, which
   * can no longer be read, is deleted after 30 days.
   */
  @Delete(':endpointId')
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.delete', { irreversible: 'Its secrets are deleted: create another endpoint' })
  async delete(
    @PathId('whe', 'endpointId', 7) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<WebhookEndpointResponse> {
    const view = await this.endpoints.delete(id, expected);
    return tagged(view.endpoint, toEndpoint(view));
  }

  /**
   * Rotate the secret of a webhook endpoint of the operator
   *
   * @remarks Creates a second secret and returns its value once. The current secret also signs until the end of the overlap, so the
   * header `webhook-signature` has two signatures. Rejected while two secrets are live. The caller also needs `connect:events:read`.
   */
  @Post(':endpointId/secret-rotations')
  @HttpCode(200)
  @RequireScope('connect:webhooks:manage')
  @Mutates('webhooks.endpoint.rotate_secret', {
    irreversible: 'The secret was handed out: rotate it again',
    secrets: ['secret'],
  })
  @Refuses({ 409: ['secret_limit_reached'] })
  async rotateSecret(
    @PathId('whe', 'endpointId', 6) id: string,
    @Body() body: RotateWebhookSecret,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CreatedWebhookEndpoint> {
    const view = await this.endpoints.rotateSecret(id, body, expected);
    return tagged(view.endpoint, toCreatedEndpoint(view));
  }
}
