import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { setResponseHeader, created } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses, WithErrorBodies } from '../../../platform/http/route-errors.js';
import { CREATE_ERRORS, REVOKE_ERRORS } from './client-errors.js';
import {
  CreatedOAuthClient,
  CreateOAuthClient,
  ListOAuthClients,
  OAuthClientPage,
  OAuthClientResponse,
  toOAuthClient,
} from './oauth-client.dto.js';
import { OAuthClientsService } from './oauth-clients.service.js';
import { OperationScopes } from '../operation-scopes.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathClientId, PathOperatorId } from '../operators/path-ids.js';

@ApiGroup('Connect: OAuth clients')
@Controller('/connect/v1/operators/:operatorId/oauth-clients')
export class OAuthClientsController {
  constructor(
    private readonly clients: OAuthClientsService,
    private readonly scopes: OperationScopes,
  ) {}

  /**
   * Create an OAuth client
   *
   * @remarks Creates a client of the operator and returns its secret once; only a hash is stored. Scopes that the caller does
   * not have are rejected, as is an end later than the end of the caller's credential. A client that creates another one is its
   * parent, and the new client is revoked with it. Rejected if the operator is inactive, the grant is inactive, narrower or
   * ends earlier, or the operator has 50 active clients. A scope may name areas and actions that no operation has yet;
   * `warnings` names such scopes.
   */
  @Post()
  @RequireScope('*:write')
  @Mutates('connect.oauth_client.create', {
    irreversible: 'The secret was handed out: revoke the client',
    secrets: ['clientSecret'],
  })
  @WithErrorBodies(CREATE_ERRORS)
  @Refuses({ 409: ['operator_inactive', 'grant_conflict', 'client_limit_reached'] })
  async create(@PathOperatorId() operatorId: string, @Body() body: CreateOAuthClient): Promise<CreatedOAuthClient> {
    const { client, clientSecret } = await this.clients.create(operatorId, body);
    setResponseHeader('Cache-Control', 'no-store');
    const location = `/connect/v1/operators/${operatorId}/oauth-clients/${client.clientId}`;
    const unknown = this.scopes.withoutOperation(client.scopes);
    const warnings = unknown.map((scope) => ({ code: 'scope_without_operation' as const, scope }));
    return created(location, {}, { ...toOAuthClient(client), clientSecret, warnings });
  }

  /**
   * List the OAuth clients of an operator
   *
   * @remarks Returns a page of clients without secrets, newest first, including revoked ones unless `active` is given.
   */
  @Get()
  @RequireScope('*:read')
  async list(@PathOperatorId() operatorId: string, @Query() query: ListOAuthClients): Promise<OAuthClientPage> {
    const { clients, total } = await this.clients.list(operatorId, query);
    return { data: clients.map(toOAuthClient), total, ...pageBounds(query) };
  }

  /**
   * Get an OAuth client
   *
   * @remarks Returns the client without its secret, even if it is revoked. The path accepts the public client ID or the ID of
   * the resource.
   */
  @Get(':clientId')
  @RequireScope('*:read')
  async get(@PathOperatorId() operatorId: string, @PathClientId() clientId: string): Promise<OAuthClientResponse> {
    return toOAuthClient(await this.clients.get(operatorId, clientId));
  }

  /**
   * Revoke an OAuth client
   *
   * @remarks Immediately and permanently ends the client, its secrets and its access tokens, and returns the client. All its
   * descendants end with it: the clients that it created, and the clients created by them. The path accepts the public client
   * ID or the ID of the resource. Revoking it again returns the same response. A delete scope of any area is enough; the scopes
   * of the client do not matter.
   */
  @Delete(':clientId')
  @RequireScope('*:delete')
  @Mutates('connect.oauth_client.revoke', { irreversible: 'A revoked credential stays revoked: create a client' })
  @WithErrorBodies(REVOKE_ERRORS)
  async revoke(@PathOperatorId() operatorId: string, @PathClientId() clientId: string): Promise<OAuthClientResponse> {
    return toOAuthClient(await this.clients.revoke(operatorId, clientId));
  }
}
