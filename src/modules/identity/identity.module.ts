import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { AccountLinksService } from './account-links/account-links.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { PasswordsController } from './passwords/passwords.controller.js';
import { PasswordsService } from './passwords/passwords.service.js';
import { ApiTokensController } from './api-tokens/api-tokens.controller.js';
import { ApiTokensService } from './api-tokens/api-tokens.service.js';
import { PlatformKeysService } from './api-tokens/platform-keys.service.js';
import { AuthenticationService } from './authentication/authentication.service.js';
import { LastUsesService } from './authentication/last-uses.service.js';
import { StaffLinkCredentialsService } from './authentication/staff-link-credentials.service.js';
import { UserCredentialsService } from './credentials/user-credentials.service.js';
import { SessionProofs } from './proofs/session-proofs.service.js';
import { InitialCredentialsService } from './initial-credentials.service.js';
import { OperatorUsersService } from './operator-users.service.js';
import { IdentityDemo } from './identity.demo.js';
import { DevicesService } from './devices/devices.service.js';
import { CodeAttempts } from './second-factors/code-attempts.service.js';
import { SecondFactorsController } from './second-factors/second-factors.controller.js';
import { SecondFactorsService } from './second-factors/second-factors.service.js';
import { SecurityEventsController } from './security-events/security-events.controller.js';
import { SecurityEventsService } from './security-events/security-events.service.js';
import { LoginsService } from './sessions/logins.service.js';
import { MeController } from './sessions/me.controller.js';
import { RejectedLoginJobs } from './sessions/rejected-logins.jobs.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { StaffAccountsService } from './users/staff-accounts.service.js';
import { UsersController } from './users/users.controller.js';
import { UsersService } from './users/users.service.js';
import './identity-tables.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [
    SessionsController,
    MeController,
    PasswordsController,
    SecondFactorsController,
    SecurityEventsController,
    InvitationsController,
    UsersController,
    ApiTokensController,
  ],
  providers: [
    AccountLinksService,
    ApiTokensService,
    AuthenticationService,
    CodeAttempts,
    DevicesService,
    InitialCredentialsService,
    IdentityDemo,
    LastUsesService,
    OperatorUsersService,
    LoginsService,
    PlatformKeysService,
    InvitationsService,
    PasswordsService,
    RejectedLoginJobs,
    SecondFactorsService,
    SecurityEventsService,
    SessionProofs,
    StaffAccountsService,
    StaffLinkCredentialsService,
    SessionsService,
    UserCredentialsService,
    UsersService,
  ],
  exports: [
    AccountLinksService,
    AuthenticationService,
    InitialCredentialsService,
    PlatformKeysService,
    StaffAccountsService,
  ],
})
export class IdentityModule {}
