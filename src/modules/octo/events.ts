import type { EventGroup } from '../../platform/outbox/outbox.js';

export const octoEvents: EventGroup[] = [
  {
    channels: ['octo.bookings'],
    events: [
      'octo_booking.held',
      'octo_booking.changed',
      'octo_booking.confirmed',
      'octo_booking.cancelled',
      'octo_booking.expired',
    ],
    members: [...['octoBookingId', 'connectionId', 'productId', 'departureId', 'bookingId', 'testMode', 'status']],
  },
  {
    channels: ['{operatorId}.bookings'],
    events: ['partner_booking.changed'],
    members: ['bookingId', 'operatorId', 'status'],
  },
];
