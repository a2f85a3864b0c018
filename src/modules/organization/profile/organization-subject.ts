import { recordSubject } from '../../../platform/database/record-subject.js';

/** The organization, to which other modules attach records. */
export const organizationSubject = recordSubject({
  type: 'organization',
  table: 'organization_profile',
  title: 'record.legal_name',
  readScope: 'organization:read',
  writeScope: 'organization:write',
});
