import type { EventGroup } from '../../platform/outbox/outbox.js';

export const operationsEvents: EventGroup[] = [
  {
    channels: ['operations.departures'],
    events: ['departure.changed'],
    members: ['productId', 'departureId', 'startsAt', 'endsAt', 'bookableUntil', 'status', 'available'],
  },
  {
    channels: ['operations.departures'],
    events: ['departure.moved'],
    members: ['productId', 'departureId', 'startsAt', 'endsAt', 'previousStartsAt', 'previousEndsAt'],
  },
  {
    channels: ['operations.departures'],
    events: ['departure.called_off'],
    members: ['productId', 'departureId', 'startsAt', 'reasonCode'],
  },
  {
    channels: ['operations.departures'],
    events: ['departure.guaranteed'],
    members: ['productId', 'departureId', 'startsAt', 'minParticipants'],
  },
  {
    channels: ['operations.departures'],
    events: ['departure.minimum_not_reached'],
    members: ['productId', 'departureId', 'startsAt', 'decideBy', 'minParticipants', 'units'],
  },
  {
    channels: ['operations.departure_schedules'],
    events: ['departure_schedule.created', 'departure_schedule.updated'],
    members: ['scheduleId', 'productId', 'active', 'version'],
  },
  {
    channels: ['operations.resources'],
    events: ['resource.created', 'resource.updated', 'resource.archived', 'resource.restored'],
    members: ['resourceId', 'type', 'status', 'version'],
  },
  {
    channels: ['operations.resources'],
    events: ['resource.assigned', 'resource.assignment_changed', 'resource.unassigned'],
    members: ['assignmentId', 'resourceId', 'departureId', 'startsAt', 'endsAt', 'version'],
  },
  {
    channels: ['operations.facilities'],
    events: ['facility.created', 'facility.updated', 'facility.archived', 'facility.restored'],
    members: ['facilityId', 'kind', 'status', 'version'],
  },
  {
    channels: ['operations.operators'],
    events: ['ground_operator.created', 'ground_operator.updated'],
    members: ['operatorId', 'active', 'facilityId', 'version'],
  },
];
