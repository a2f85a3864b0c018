import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { setResponseHeader, created } from '../../../platform/http/response-headers.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { PathClientId, PathOperatorId, PathSecretId } from '../operators/path-ids.js';
import {
  ClientSecretList,
  ClientSecretResponse,
  CreatedClientSecret,
  RotateClientSecret,
} from './client-secret.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ClientSecretsService } from './client-secrets.service.js';

@ApiGroup('Connect: OAuth clients', {
  position: 240,
  description: 'Connect: OAuth 2.0 clients of an operator and their secrets.',
})
@Controller('/connect/v1/operators/:operatorId/oauth-clients/:clientId/secrets')
export class ClientSecretsController {
  constructor(private readonly secrets: ClientSecretsService) {}

  /**
   * Rotate the secret of an OAuth client
   *
   * @remarks Creates a second secret and returns its value once. The current secret stays valid for the overlap and then
   * expires. The caller must have all scopes of the client. Rejected if the client is revoked or expired, already has two valid
   * secrets, or would outlive a caller that is a client itself.
   */
  @Post()
  @RequireScope('*:write')
  @Mutates('connect.oauth_client_secret.create', {
    irreversible: 'The secret was handed out: revoke it',
    secrets: ['clientSecret'],
  })
  @Refuses({ 409: ['client_inactive', 'grant_conflict', 'secret_limit_reached'] })
  async rotate(
    @PathOperatorId() operatorId: string,
    @PathClientId(4) clientId: string,
    @Body() body: RotateClientSecret,
  ): Promise<CreatedClientSecret> {
    const { secret, clientSecret } = await this.secrets.rotate(operatorId, clientId, body);
    setResponseHeader('Cache-Control', 'no-store');
    const location = `/connect/v1/operators/${operatorId}/oauth-clients/${secret.clientId}/secrets`;
    return created(location, {}, { ...secret, clientSecret });
  }

  /**
   * List the secrets of an OAuth client
   *
   * @remarks Returns the newest 20 secrets without their values, including expired and revoked ones.
   */
  @Get()
  @RequireScope('*:read')
  async list(@PathOperatorId() operatorId: string, @PathClientId(4) clientId: string): Promise<ClientSecretList> {
    return { data: await this.secrets.list(operatorId, clientId) };
  }

  /**
   * Revoke a secret of an OAuth client
   *
   * @remarks Ends the secret and all access tokens issued with it, and returns the secret without its value. Revoking it again
   * returns the same response. A delete scope of any area is enough, as for revoking the client. The only valid secret cannot
   * be revoked: rotate it first, or revoke the client.
   */
  @Delete(':secretId')
  @RequireScope('*:delete')
  @Mutates('connect.oauth_client_secret.revoke', {
    irreversible: 'A revoked credential stays revoked: create a secret',
  })
  @Refuses({ 409: ['last_secret'] })
  async revoke(
    @PathOperatorId() operatorId: string,
    @PathClientId(5) clientId: string,
    @PathSecretId() secretId: string,
  ): Promise<ClientSecretResponse> {
    return this.secrets.revoke(operatorId, clientId, secretId);
  }
}
