export { organizationEvents } from './events.js';
export { DOCUMENT_LANGUAGES, type DocumentLanguage, type IssuerCopy } from './profile/issuer-copy.js';
export { OrganizationModule } from './organization.module.js';
export { OrganizationSettingsService } from './settings/organization-settings.service.js';
export { organizationSubject } from './profile/organization-subject.js';
export { OrganizationService } from './profile/organization.service.js';
