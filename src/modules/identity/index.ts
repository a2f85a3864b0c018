export { FirstCredentials, type FirstIssue } from './first-credentials.js';
export { IdentityModule } from './identity.module.js';
