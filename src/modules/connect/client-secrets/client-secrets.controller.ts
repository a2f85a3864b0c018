import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { answerHeader, created } from '../../../platform/http/answer.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { PathClientId, PathOperatorId, PathSecretId } from '../oauth-clients/path-ids.js';
import {
  ClientSecretList,
  ClientSecretResponse,
  CreatedClientSecret,
  RotateClientSecret,
} from './client-secret.dto.js';
import { ClientSecrets } from './client-secrets.service.js';

@ApiTags('Connect: OAuth clients')
@Controller('/connect/v1/operators/:operatorId/oauth-clients/:clientId/secrets')
export class ClientSecretsController {
  constructor(private readonly secrets: ClientSecrets) {}

  /** Gives the client a new secret, shown this once; the one in use stays good for the overlap */
  @Post()
  @RequireScope('*:write')
  @Mutates('connect.oauth_client_secret.create', { secrets: ['clientSecret'] })
  @Refuses({ 409: ['client_inactive', 'grant_conflict', 'secret_limit_reached'] })
  async rotate(
    @PathOperatorId() operatorId: string,
    @PathClientId(4) clientId: string,
    @Body() body: RotateClientSecret,
  ): Promise<CreatedClientSecret> {
    const { secret, clientSecret } = await this.secrets.rotate(operatorId, clientId, body);
    answerHeader('Cache-Control', 'no-store');
    const location = `/connect/v1/operators/${operatorId}/oauth-clients/${secret.clientId}/secrets`;
    return created(location, {}, { ...secret, clientSecret });
  }

  /** Lists the client's secrets, newest first, without what makes them secret */
  @Get()
  @RequireScope('*:read')
  async list(@PathOperatorId() operatorId: string, @PathClientId(4) clientId: string): Promise<ClientSecretList> {
    return { data: await this.secrets.list(operatorId, clientId) };
  }

  /** Ends a secret before its time, and every token that was issued by it; a second call answers the same */
  @Delete(':secretId')
  @RequireScope('*:delete')
  @Mutates('connect.oauth_client_secret.revoke')
  @Refuses({ 409: ['last_secret'] })
  async revoke(
    @PathOperatorId() operatorId: string,
    @PathClientId(5) clientId: string,
    @PathSecretId() secretId: string,
  ): Promise<ClientSecretResponse> {
    return this.secrets.revoke(operatorId, clientId, secretId);
  }
}
