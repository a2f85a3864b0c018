import type { EventGroup } from '../../platform/outbox/outbox.js';

const channels = ['bookings.{bookingId}', 'bookings'];

export const bookingEvents: EventGroup[] = [
  {
    channels,
    events: [
      'booking.created',
      'booking.updated',
      'booking.confirmed',
      'booking.started',
      'booking.completed',
      'booking.cancelled',
      'booking.reinstated',
    ],
    members: ['bookingId', 'number', 'status', 'currency', 'totalCents', 'version'],
  },
  {
    channels,
    events: ['booking.departure_not_followed'],
    members: ['bookingId', 'departureId', 'code'],
  },
  {
    channels,
    events: ['booking_item.created', 'booking_item.updated', 'booking_item.cancelled', 'booking_item.reinstated'],
    members: ['bookingId', 'bookingItemId', 'type', 'status', 'quantity', 'totalSellCents', 'version'],
  },
  {
    channels,
    events: ['booking_traveler.changed'],
    members: ['bookingId', 'travelerId', 'bookingItemId', 'change', 'version'],
  },
  {
    channels,
    events: ['voucher.issued', 'voucher.redeemed', 'voucher.reinstated', 'voucher.voided'],
    members: ['voucherId', 'bookingId', 'bookingItemId', 'travelerId', 'status', 'version'],
  },
];
