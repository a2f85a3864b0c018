import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { ConnectorProviderRow } from './connector-providers/connector-provider.dto.js';
import { ConnectorProvidersService } from './connector-providers/connector-providers.service.js';
import { DEMO_CREDENTIALS } from './demo-credentials.js';
import { ClientSecretsService } from './client-secrets/client-secrets.service.js';
import { OAuthClientsService } from './oauth-clients/oauth-clients.service.js';
import type { OperatorGrantRow } from './operators/operator.dto.js';
import { GrantsService } from './operators/grants.service.js';
import { OperatorsService } from './operators/operators.service.js';

const OPERATOR = 'op_demo';

const GRANTS: OperatorGrantRow[] = [
  { id: 'grant_demo', operatorId: OPERATOR, scopes: ['connect:bookings:*', 'connect:flights:read'] },
  { id: 'grant_demo_changing', operatorId: OPERATOR, scopes: ['connect:bookings:*'] },
  { id: 'grant_demo_paused', operatorId: OPERATOR, scopes: ['connect:*'], status: 'paused' },
];

const PROVIDERS: ConnectorProviderRow[] = [
  {
    key: 'demo-activities',
    name: 'Demo Activities',
    operatorId: OPERATOR,
    description: 'Tours and activities of the demo operator',
    capabilities: ['availability', 'bookings'],
    applicationFormSchema: {
      fields: [
        { name: 'companyName', label: 'Company', type: 'text', required: true },
        { name: 'website', label: 'Website', type: 'url', required: false },
      ],
    },
  },
  { key: 'demo-transfers', name: 'Demo Transfers', description: null, capabilities: ['bookings'] },
];

/**
 * The resources that the examples of the API document use: operator `op_demo`, its grants, provider `demo-activities`, and
 * clients. The examples revoke client 1, list client 2, authenticate client 3, rotate the secret of client 4, and revoke a
 * secret of client 5.
 */
@Injectable()
export class ConnectDemo {
  constructor(
    private readonly operators: OperatorsService,
    private readonly grants: GrantsService,
    private readonly clients: OAuthClientsService,
    private readonly secrets: ClientSecretsService,
    private readonly providers: ConnectorProvidersService,
  ) {}

  @DemoData(300, 'operators and connectors')
  async load(): Promise<void> {
    await this.operators.provision([{ id: OPERATOR, name: 'Demo Operator' }]);
    await this.grants.provision(GRANTS);
    await this.providers.provision(PROVIDERS);
    const read = { scopes: ['connect:bookings:read'] };
    const create = (name: string, options: Parameters<OAuthClientsService['create']>[2], grantId?: string) =>
      this.clients.create(OPERATOR, { ...read, name, ...(grantId === undefined ? {} : { grantId }) }, options);
    await create('Retired integration', { id: demoId('oacl', 1) });
    await create('Booking sync', { id: demoId('oacl', 2) }, 'grant_demo');
    await create('Example of the API document', { id: demoId('oacl', 3), credentials: DEMO_CREDENTIALS });
    await create('Due for a new secret', { id: demoId('oacl', 4) });
    const rotated = { id: demoId('oacl', 5), secretId: demoId('oasc', 1) };
    await create('Amid a rotation', rotated);
    await this.secrets.rotate(OPERATOR, rotated.id, {});
  }
}
