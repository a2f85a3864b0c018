import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { ConnectorProviderRow } from './connector-providers/connector-provider.dto.js';
import { ConnectorProviders } from './connector-providers/connector-providers.service.js';
import { DEMO_CREDENTIALS } from './demo-credentials.js';
import { ClientSecrets } from './client-secrets/client-secrets.service.js';
import { OAuthClients } from './oauth-clients/oauth-clients.service.js';
import type { OperatorGrantRow } from './operators/operator.dto.js';
import { OperatorProvisioning } from './operators/operator-provisioning.js';

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
 * What the examples of the API document name: operator `op_demo`, its grants, provider `demo-activities`, and clients: 1 is
 * revoked, 2 is listed, 3 has known credentials, 4 gets a second secret, 5 has two.
 */
@Injectable()
export class ConnectDemo {
  constructor(
    private readonly operators: OperatorProvisioning,
    private readonly clients: OAuthClients,
    private readonly secrets: ClientSecrets,
    private readonly providers: ConnectorProviders,
  ) {}

  @DemoData(300, 'operators and connectors')
  async load(): Promise<void> {
    await this.operators.applyOperators([{ id: OPERATOR, name: 'Demo Operator' }]);
    await this.operators.applyGrants(GRANTS);
    await this.providers.apply(PROVIDERS);
    const read = { scopes: ['connect:bookings:read'] };
    const create = (name: string, options: Parameters<OAuthClients['create']>[2], grantId?: string) =>
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
