import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ApiTokens } from './api-tokens/api-tokens.service.js';
import { CredentialChecks } from './credentials/credential-checks.js';
import { LastUses } from './credentials/last-uses.js';
import { FirstCredentials } from './first-credentials.js';
import { Users } from './users/users.service.js';

@Module({
  imports: [ActionLedgerModule],
  providers: [ApiTokens, CredentialChecks, FirstCredentials, LastUses, Users],
  exports: [FirstCredentials],
})
export class IdentityModule {}
