import { Body, Controller, Get, Patch, type PipeTransform, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathText } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  ConnectorProviderPage,
  ConnectorProviderResponse,
  ListConnectorProviders,
  toConnectorProvider,
  UpdateConnectorProvider,
} from './connector-provider.dto.js';
import { PROVIDER_KEY } from './connector-provider.entity.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ConnectorProvidersService } from './connector-providers.service.js';

const KEY = { maxLength: 63, pattern: PROVIDER_KEY, example: 'demo-activities' };

const knownForm: PipeTransform<string, string> = {
  transform(key) {
    if (!PROVIDER_KEY.test(key)) throw notFound({ resource: 'connector_provider' });
    return key;
  },
};

@ApiGroup('Connect: Connector providers', {
  position: 260,
  description: 'Connect: providers of products that operators can connect to.',
})
@Controller('/connect/v1/connector-providers')
export class ConnectorProvidersController {
  constructor(private readonly providers: ConnectorProvidersService) {}

  /**
   * List connector providers
   *
   * @remarks Returns all providers ordered by key, up to 200 on one page unless `limit` is given. A credential that is bound to
   * an operator gets the providers of the operator and of the platform.
   */
  @Get()
  @RequireScope('*:read')
  async list(@Query() { limit = 200, offset = 0 }: ListConnectorProviders): Promise<ConnectorProviderPage> {
    const { providers, total } = await this.providers.list({ limit, offset });
    return { data: providers.map(toConnectorProvider), total, limit, offset };
  }

  /**
   * Update the application form of a connector provider
   *
   * @remarks Replaces the complete form definition, or removes it with null. All other members are set by provisioning. A
   * credential that is bound to an operator changes the providers of that operator only; all others are not found, as is an
   * unknown key.
   */
  @Patch(':providerKey')
  @RequireScope('*:write')
  @Mutates('connect.connector_provider.update', {
    irreversible: 'Only credentials of the connect surface may change it: change it there',
  })
  async update(
    @PathText('providerKey', { ...KEY, description: 'Key of the connector provider.' }, knownForm) key: string,
    @Body() body: UpdateConnectorProvider,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ConnectorProviderResponse> {
    const provider = await this.providers.replaceForm(key, body.applicationFormSchema, expected);
    return tagged(provider, toConnectorProvider(provider));
  }
}
