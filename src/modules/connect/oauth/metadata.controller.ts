import { Controller, Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Public } from '../../../platform/auth/access.js';
import { Env } from '../../../platform/config/env.js';
import { OperationScopes } from '../operation-scopes.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { MetadataResponse, toMetadata } from './metadata.dto.js';

@ApiGroup('Connect: OAuth tokens', {
  position: 250,
  description: 'Connect: access tokens by client credentials, their introspection and revocation, server metadata.',
})
@Controller('/.well-known/oauth-authorization-server/connect/v1')
export class MetadataController {
  constructor(
    private readonly env: Env,
    private readonly scopes: OperationScopes,
  ) {}

  /**
   * Get the OAuth server metadata
   *
   * @remarks Returns the URLs, capabilities and scopes of the OAuth endpoints (RFC 8414) for automatic client configuration. No
   * credentials are needed.
   */
  @ApiOperation({ operationId: 'oauthMetadata_get' })
  @Get()
  @Public()
  async metadata(): Promise<MetadataResponse> {
    return toMetadata(this.env.baseUrl, this.scopes.supported());
  }
}
