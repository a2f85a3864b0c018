export { FirstCredentialsService } from './first-credentials.service.js';
export type { FirstIssue } from './first-plan.js';
export { IdentityModule } from './identity.module.js';
export { ROLES, scopesOf } from './users/role.js';
