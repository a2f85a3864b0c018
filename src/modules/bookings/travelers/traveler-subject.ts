import { recordSubject } from '../../../platform/database/record-subject.js';

/** Travelers, to which other modules attach records. */
export const travelerSubject = recordSubject({
  type: 'traveler',
  table: 'booking_travelers',
  title: `coalesce(nullif(concat_ws(' ', record.first_name, record.last_name), ''), 'Traveler ' || record.position)`,
  readScope: 'bookings:read',
  writeScope: 'bookings:write',
});
