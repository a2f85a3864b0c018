import { named } from '../../../platform/http/named-values.js';

export const BOOKING_STATUSES = named('BookingStatus', ['draft', 'confirmed', 'in_progress', 'completed', 'cancelled']);
export type BookingStatus = (typeof BOOKING_STATUSES)[number];
