import { recordSubject } from '../../../platform/database/record-subject.js';

/** Contracts, to which other modules attach records. */
export const contractSubject = recordSubject({
  type: 'contract',
  table: 'contracts',
  title: 'record.title',
  readScope: 'legal:read',
  writeScope: 'legal:write',
});
