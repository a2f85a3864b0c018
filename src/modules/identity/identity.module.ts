import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ApiTokensController } from './api-tokens/api-tokens.controller.js';
import { ApiTokens } from './api-tokens/api-tokens.service.js';
import { PlatformKeys } from './api-tokens/platform-keys.service.js';
import { CredentialChecks } from './credentials/credential-checks.js';
import { LastUses } from './credentials/last-uses.js';
import { UserCredentials } from './credentials/user-credentials.js';
import { DemoStaff } from './demo.js';
import { FirstCredentials } from './first-credentials.js';
import { IdentityProvisioning } from './identity-provisioning.js';
import { Logins } from './sessions/logins.service.js';
import { MeController } from './sessions/me.controller.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { Sessions } from './sessions/sessions.service.js';
import { UserProvisioning } from './users/user-provisioning.js';
import { UsersController } from './users/users.controller.js';
import { Users } from './users/users.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [SessionsController, MeController, UsersController, ApiTokensController],
  providers: [
    ApiTokens,
    CredentialChecks,
    DemoStaff,
    FirstCredentials,
    IdentityProvisioning,
    LastUses,
    Logins,
    PlatformKeys,
    Sessions,
    UserCredentials,
    UserProvisioning,
    Users,
  ],
  exports: [FirstCredentials],
})
export class IdentityModule {}
