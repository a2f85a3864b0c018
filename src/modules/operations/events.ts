import type { EventGroup } from '../../platform/outbox/event-group.js';

export const operationsEvents: EventGroup[] = [
  {
    channels: ['operations.departures'],
    events: ['departure.changed'],
    facts: ['productId', 'departureId', 'startsAt', 'endsAt', 'status', 'available'],
  },
  {
    channels: ['operations.facilities'],
    events: ['facility.created', 'facility.updated', 'facility.archived', 'facility.restored'],
    facts: ['facilityId', 'kind', 'status', 'version'],
  },
  {
    channels: ['operations.operators'],
    events: ['ground_operator.created', 'ground_operator.updated'],
    facts: ['operatorId', 'active', 'facilityId', 'version'],
  },
];
