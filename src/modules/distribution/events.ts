import type { EventGroup } from '../../platform/outbox/event-group.js';

const ALLOTMENT = ['allotmentId', 'channelId', 'productId', 'version'];
const channels = ['distribution.allotments'];

export const distributionEvents: EventGroup[] = [
  {
    channels: ['distribution.channels'],
    events: ['channel.created', 'channel.updated'],
    facts: ['channelId', 'status', 'version'],
  },
  {
    channels,
    events: ['allotment.created', 'allotment.updated', 'allotment.deleted', 'allotment.reclaimed'],
    facts: ALLOTMENT,
  },
  {
    channels,
    events: ['allotment.released'],
    facts: [...ALLOTMENT, 'slotId', 'departureId', 'units', 'by', 'unsoldAction'],
  },
  {
    channels,
    events: ['allotment.slot_changed'],
    facts: [...ALLOTMENT, 'slotId', 'departureId', 'allotted', 'remaining'],
  },
];
