export { FirstCredentials } from './first-credentials.js';
export type { FirstIssue } from './first-plan.js';
export { IdentityModule } from './identity.module.js';
