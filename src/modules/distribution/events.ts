import type { EventGroup } from '../../platform/outbox/outbox.js';

const ALLOTMENT = ['allotmentId', 'channelId', 'productId', 'version'];
const channels = ['distribution.allotments'];

export const distributionEvents: EventGroup[] = [
  {
    channels: ['distribution.channels'],
    events: ['channel.created', 'channel.updated'],
    members: ['channelId', 'status', 'version'],
  },
  {
    channels,
    events: ['allotment.created', 'allotment.updated', 'allotment.deleted', 'allotment.reclaimed'],
    members: ALLOTMENT,
  },
  {
    channels,
    events: ['allotment.released'],
    members: [...ALLOTMENT, 'slotId', 'departureId', 'units', 'by', 'unsoldAction'],
  },
  {
    channels,
    events: ['allotment.slot_short'],
    members: [...ALLOTMENT, 'slotId', 'departureId', 'units'],
  },
  {
    channels,
    events: ['allotment.slot_changed'],
    members: [...ALLOTMENT, 'slotId', 'departureId', 'allotted', 'remaining'],
  },
];
