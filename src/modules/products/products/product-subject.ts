import { recordSubject } from '../../../platform/database/record-subject.js';

/** Products, to which other modules attach records. */
export const productSubject = recordSubject({
  type: 'product',
  table: 'products',
  title: 'record.name',
  readScope: 'products:read',
  writeScope: 'products:write',
});
