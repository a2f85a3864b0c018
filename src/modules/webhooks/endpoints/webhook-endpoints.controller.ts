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
  CreatedWebhookEndpointEnvelope,
  CreateWebhookEndpoint,
  ListWebhookEndpoints,
  RotateWebhookSecret,
  toCreatedEndpoint,
  toEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointEnvelope,
  WebhookEndpointPage,
} from './webhook-endpoint.dto.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

const PATH = '/v1/admin/webhooks/endpoints';

@ApiGroup('Webhooks', {
  position: 216,
  description: 'Staff: receivers to which the service sends events, by the specification Standard Webhooks.',
})
@Controller(PATH)
export class WebhookEndpointsController {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  /**
   * Create a webhook endpoint
   *
   * @remarks From now on the receiver gets these events as `POST` with the body `{"type", "timestamp", "data"}` and the headers
   * `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks. The endpoint belongs to the user of the caller, and
   * receives what that user may read at the time of each event. A user has at most 50 endpoints.
   */
  @Post()
  @RequireScope('webhooks:write')
  @Mutates('webhooks.endpoint.create', {
    irreversible: 'Events may have been sent already: delete the endpoint',
    secrets: ['data.secret'],
  })
  @Refuses({ 409: ['endpoint_limit_reached'], 422: ['unknown_event_type', 'url_not_allowed'] })
  async create(@Body() body: CreateWebhookEndpoint): Promise<CreatedWebhookEndpointEnvelope> {
    const view = await this.endpoints.create(body);
    return created(`${PATH}/${view.endpoint.id}`, view.endpoint, { data: toCreatedEndpoint(view) });
  }

  /**
   * List webhook endpoints
   *
   * @remarks Returns a page of the endpoints of all users, newest first unless `sort` is given. With `ownerKind` `operator` it lists those of
   * operators, which staff can read and only operators change.
   */
  @Get()
  @RequireScope('webhooks:read')
  async list(@Query() query: ListWebhookEndpoints): Promise<WebhookEndpointPage> {
    const { views, total } = await this.endpoints.list(query);
    return { data: views.map(toEndpoint), total, ...pageBounds(query) };
  }

  /**
   * Get a webhook endpoint
   *
   * @remarks Returns the endpoint with its live secrets, without their values.
   */
  @Get(':endpointId')
  @RequireScope('webhooks:read')
  async get(@PathId('whe', 'endpointId') id: string): Promise<WebhookEndpointEnvelope> {
    const view = await this.endpoints.get(id);
    return tagged(view.endpoint, { data: toEndpoint(view) });
  }

  /**
   * Update a webhook endpoint
   *
   * @remarks Changes only the fields that are sent. Deliveries that wait go to the new address. The caller must be able to read all
   * events of the endpoint. It still belongs to the user who created it.
   */
  @Patch(':endpointId')
  @RequireScope('webhooks:write')
  @Mutates('webhooks.endpoint.update', { irreversible: 'Events may have been sent already: update the endpoint again' })
  @BodyExample({ description: 'Accounting, new system' })
  @Refuses({ 422: ['unknown_event_type', 'url_not_allowed'] })
  async update(
    @PathId('whe', 'endpointId', 2) id: string,
    @Body() body: UpdateWebhookEndpoint,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<WebhookEndpointEnvelope> {
    const view = await this.endpoints.update(id, body, expected);
    return tagged(view.endpoint, { data: toEndpoint(view) });
  }

  /**
   * Delete a webhook endpoint
   *
   * @remarks Deletes the endpoint with its secrets, and returns it as it was. Deliveries that wait are not sent; the log, which
   * can no longer be read, is deleted after 30 days.
   */
  @Delete(':endpointId')
  @RequireScope('webhooks:delete')
  @Mutates('webhooks.endpoint.delete', { irreversible: 'Its secrets are deleted: create another endpoint' })
  async delete(
    @PathId('whe', 'endpointId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<WebhookEndpointEnvelope> {
    const view = await this.endpoints.delete(id, expected);
    return tagged(view.endpoint, { data: toEndpoint(view) });
  }

  /**
   * Rotate the secret of a webhook endpoint
   *
   * @remarks Creates a second secret and returns its value once. The current secret also signs until the end of the overlap, so the
   * header `webhook-signature` has two signatures. Rejected while two secrets are live.
   */
  @Post(':endpointId/secret-rotations')
  @HttpCode(200)
  @RequireScope('webhooks:write')
  @Mutates('webhooks.endpoint.rotate_secret', {
    irreversible: 'The secret was handed out: rotate it again',
    secrets: ['data.secret'],
  })
  @Refuses({ 409: ['secret_limit_reached'] })
  async rotateSecret(
    @PathId('whe', 'endpointId', 2) id: string,
    @Body() body: RotateWebhookSecret,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CreatedWebhookEndpointEnvelope> {
    const view = await this.endpoints.rotateSecret(id, body, expected);
    return tagged(view.endpoint, { data: toCreatedEndpoint(view) });
  }
}
