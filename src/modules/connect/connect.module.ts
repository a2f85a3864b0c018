import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { IdentityModule } from '../identity/index.js';
import { ClientSecretsController } from './client-secrets/client-secrets.controller.js';
import { ClientSecretsService } from './client-secrets/client-secrets.service.js';
import { ConnectorProvidersController } from './connector-providers/connector-providers.controller.js';
import { ConnectorProvidersService } from './connector-providers/connector-providers.service.js';
import { ConnectDemo } from './connect.demo.js';
import { AccessTokensService } from './oauth/access-tokens.service.js';
import { ClientAuthenticationService } from './oauth/client-authentication.service.js';
import { MetadataController } from './oauth/metadata.controller.js';
import { TokenController } from './oauth/token.controller.js';
import { OperationScopes } from './operation-scopes.js';
import { OAuthClientsController } from './oauth-clients/oauth-clients.controller.js';
import { OAuthClientsService } from './oauth-clients/oauth-clients.service.js';
import { GrantsController } from './operators/grants.controller.js';
import { GrantsService } from './operators/grants.service.js';
import { OperatorsController } from './operators/operators.controller.js';
import { OperatorsService } from './operators/operators.service.js';
import './connect-tables.js';

@Module({
  imports: [ActionLedgerModule, IdentityModule],
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
    AccessTokensService,
    ClientAuthenticationService,
    ClientSecretsService,
    ConnectorProvidersService,
    ConnectDemo,
    GrantsService,
    OAuthClientsService,
    OperationScopes,
    OperatorsService,
  ],
  exports: [OAuthClientsService, OperatorsService],
})
export class ConnectModule {}
