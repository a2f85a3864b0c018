import { recordSubject } from '../../../platform/database/record-subject.js';

/** Resources, to which other modules attach records. */
export const resourceSubject = recordSubject({
  type: 'resource',
  table: 'resources',
  title: 'record.name',
  readScope: 'operations:read',
  writeScope: 'operations:write',
});
