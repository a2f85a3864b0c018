import { demoId } from '../../platform/ids/id.js';
import type { ConnectorProviderRow } from './connector-providers/connector-provider.dto.js';
import type { ConnectorProviders } from './connector-providers/connector-providers.service.js';
import { DEMO_CREDENTIALS } from './demo-credentials.js';
import type { ClientSecrets } from './client-secrets/client-secrets.service.js';
import type { OAuthClients } from './oauth-clients/oauth-clients.service.js';
import type { OperatorGrantRow } from './operators/operator.dto.js';
import type { OperatorProvisioning } from './operators/operator-provisioning.js';

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
 * What the API document's examples name: operator `op_demo`, its grants, provider `demo-activities`, and clients: 1 to be
 * revoked, 2 to be listed, 3 with credentials that are known, 4 to be given a second secret, 5 with two of them.
 */
export async function loadDemoConnect(services: {
  operators: OperatorProvisioning;
  clients: OAuthClients;
  secrets: ClientSecrets;
  providers: ConnectorProviders;
}): Promise<void> {
  const { operators, clients, secrets, providers } = services;
  await operators.applyOperators([{ id: OPERATOR, name: 'Demo Operator' }]);
  await operators.applyGrants(GRANTS);
  await providers.apply(PROVIDERS);
  const read = { scopes: ['connect:bookings:read'] };
  await clients.create(OPERATOR, { ...read, name: 'Retired integration' }, { id: demoId('oacl', 1) });
  await clients.create(OPERATOR, { ...read, name: 'Booking sync', grantId: 'grant_demo' }, { id: demoId('oacl', 2) });
  const known = { id: demoId('oacl', 3), credentials: DEMO_CREDENTIALS };
  await clients.create(OPERATOR, { ...read, name: 'Example of the API document' }, known);
  await clients.create(OPERATOR, { ...read, name: 'Due for a new secret' }, { id: demoId('oacl', 4) });
  const rotated = { id: demoId('oacl', 5), secretId: demoId('oasc', 1) };
  await clients.create(OPERATOR, { ...read, name: 'Amid a rotation' }, rotated);
  await secrets.rotate(OPERATOR, rotated.id, {});
}
