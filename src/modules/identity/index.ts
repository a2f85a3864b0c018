export { AccountLinksService } from './account-links/account-links.service.js';
export { type AccountMail, AccountMailListener } from './account-mails/account-mail-listener.js';
export { InitialCredentialsService } from './initial-credentials.service.js';
export type { InitialCredentials } from './initial-credentials.js';
export { IdentityModule } from './identity.module.js';
export { OperatorUsersService } from './operator-users.service.js';
export { PlatformKeyListener } from './api-tokens/platform-key-listener.js';
export { PlatformKeysService } from './api-tokens/platform-keys.service.js';
export { ROLES, scopesOf } from './users/role.js';
