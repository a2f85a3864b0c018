import { recordSubject } from '../../../platform/database/record-subject.js';

/** Departures as the subject of notes. */
export const departureSubject = recordSubject({
  type: 'departure',
  table: 'departures',
  title: `(select coalesce(max(product.name), record.product_id) || ' ' || record.start_date
    from products product where product.id = record.product_id)`,
  readScope: 'operations:read',
  writeScope: 'operations:write',
});
