import { Module, type OnModuleInit } from '@nestjs/common';
import { TokenVerifier } from '../../platform/auth/token-verifier.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ClientSecretsController } from './client-secrets/client-secrets.controller.js';
import { ClientSecrets } from './client-secrets/client-secrets.service.js';
import { ConnectorProvidersController } from './connector-providers/connector-providers.controller.js';
import { ConnectorProviders } from './connector-providers/connector-providers.service.js';
import { ConnectProvisioning } from './connect-provisioning.js';
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
    ConnectProvisioning,
    Grants,
    KnownClients,
    OAuthClients,
    OperatorChanges,
    OperatorProvisioning,
    Operators,
  ],
})
export class ConnectModule implements OnModuleInit {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly jobs: Jobs,
    private readonly tokens: AccessTokens,
  ) {}

  onModuleInit(): void {
    this.verifier.register('oat', (credential) => this.tokens.actorOf(credential));
    this.jobs.schedule('connect.access_tokens.purge', '23 * * * *', () => this.tokens.purge());
  }
}
