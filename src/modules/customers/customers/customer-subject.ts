import { recordSubject } from '../../../platform/database/record-subject.js';

/** Customers as the subject of notes. */
export const customerSubject = recordSubject({
  type: 'customer',
  table: 'customers',
  title: 'record.display_name',
  readScope: 'customers:read',
  writeScope: 'customers:write',
  rejection: `case when record.status in ('merged', 'erased') then 'customer_' || record.status end`,
});
