import { recordSubject } from '../../../platform/database/record-subject.js';

/** Bookings as the subject of notes. */
export const bookingSubject = recordSubject({
  type: 'booking',
  table: 'bookings',
  title: 'record.number',
  readScope: 'bookings:read',
  writeScope: 'bookings:write',
});
