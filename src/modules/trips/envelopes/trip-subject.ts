import { recordSubject } from '../../../platform/database/record-subject.js';

/** Trips, to which other modules attach records. */
export const tripSubject = recordSubject({
  type: 'trip',
  table: 'trip_envelopes',
  title: 'coalesce(record.title, record.id)',
  readScope: 'trips:read',
  writeScope: 'trips:write',
});
