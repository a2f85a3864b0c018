import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ClientSecretsController } from './client-secrets/client-secrets.controller.js';
import { ClientSecrets } from './client-secrets/client-secrets.service.js';
import { ConnectorProvidersController } from './connector-providers/connector-providers.controller.js';
import { ConnectorProviders } from './connector-providers/connector-providers.service.js';
import { ConnectDemo } from './connect.demo.js';
import { AccessTokens } from './oauth/access-tokens.service.js';
import { ClientRequests } from './oauth/client-requests.service.js';
import { KnownClients } from './oauth/known-clients.service.js';
import { MetadataController } from './oauth/metadata.controller.js';
import { TokenController } from './oauth/token.controller.js';
import { CallerBounds } from './oauth-clients/caller-bounds.service.js';
import { OAuthClientsController } from './oauth-clients/oauth-clients.controller.js';
import { OAuthClients } from './oauth-clients/oauth-clients.service.js';
import { GrantsController } from './operators/grants.controller.js';
import { Grants } from './operators/grants.service.js';
import { OperatorChanges } from './operators/operator-changes.service.js';
import { OperatorProvisioning } from './operators/operator-provisioning.js';
import { OperatorsController } from './operators/operators.controller.js';
import { Operators } from './operators/operators.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [
    ClientSecretsController,
    ConnectorProvidersController,
    GrantsController,
    MetadataController,
    OAuthClientsController,
    OperatorsController,
    TokenController,
  ],
  providers: [
    AccessTokens,
    CallerBounds,
    ClientRequests,
    ClientSecrets,
    ConnectorProviders,
    ConnectDemo,
    Grants,
    KnownClients,
    OAuthClients,
    OperatorChanges,
    OperatorProvisioning,
    Operators,
  ],
})
export class ConnectModule {}
