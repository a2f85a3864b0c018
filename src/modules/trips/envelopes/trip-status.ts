import { named } from '../../../platform/http/named-values.js';

/** `checkout_started` is kept for the day when customers pay for their trips themselves. */
export const TRIP_STATUSES = named('TripStatus', [
  'draft',
  'priced',
  'reserve_in_progress',
  'reserved',
  'failed',
  'expired',
  'checkout_started',
  'booked',
  'cancelled',
]);
export type TripStatus = (typeof TRIP_STATUSES)[number];

/** Where each state leads. A running reservation and a booked trip are left alone by whoever did not start them. */
export const TRIP_MOVES: Readonly<Record<TripStatus, readonly TripStatus[]>> = {
  draft: ['priced', 'cancelled'],
  priced: ['priced', 'draft', 'reserve_in_progress', 'cancelled'],
  reserve_in_progress: ['reserved', 'priced', 'failed'],
  reserved: ['expired', 'draft', 'booked', 'cancelled'],
  failed: ['priced', 'cancelled'],
  expired: ['priced', 'cancelled'],
  checkout_started: [],
  booked: [],
  cancelled: [],
};

/** In these, components and travelers may be edited. */
export const EDITABLE: readonly TripStatus[] = ['draft', 'priced', 'failed', 'expired'];
