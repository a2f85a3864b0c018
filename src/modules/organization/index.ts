export { organizationEvents } from './events.js';
export { OrganizationModule } from './organization.module.js';
export { OrganizationService } from './profile/organization.service.js';
