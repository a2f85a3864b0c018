import type { EventGroup } from '../../platform/outbox/outbox.js';

const channels = ['trips.{envelopeId}', 'trips'];
const TRIP = ['envelopeId', 'status', 'currency', 'totalCents', 'version'];

export const tripEvents: EventGroup[] = [
  { channels, events: ['trip.reserved'], members: [...TRIP, 'planId', 'holdExpiresAt'] },
  { channels, events: ['trip.reservation_failed'], members: [...TRIP, 'planId'] },
  {
    channels,
    events: ['trip.attention_raised', 'trip.attention_resolved'],
    members: [...TRIP, 'attentionId', 'code', 'componentId', 'resolution'],
  },
  { channels, events: ['trip.confirmation_refused'], members: [...TRIP, 'componentId', 'bookingId'] },
  {
    channels,
    events: ['trip.component_cancelled'],
    members: [...TRIP, 'componentId', 'bookingId', 'cancellationFeeCents'],
  },
  { channels, events: ['trip.booked'], members: [...TRIP, 'bookingId'] },
  { channels, events: ['trip.cancelled', 'trip.hold_expired', 'trip.unreserved'], members: TRIP },
];
