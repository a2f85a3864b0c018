import type { EventGroup } from '../../platform/outbox/outbox.js';

export const deskEvents: EventGroup[] = [
  {
    channels: ['operations.departures'],
    events: ['call_off.progressed'],
    members: ['callOffId', 'departureId', 'status', 'total', 'done', 'failed', 'skipped'],
  },
  {
    channels: ['desk.bulk_operations'],
    events: ['bulk_operation.progressed'],
    members: ['bulkOperationId', 'type', 'status', 'total', 'done', 'failed', 'skipped'],
  },
  {
    channels: ['operations.waiting_entries'],
    events: [
      'waiting_entry.created',
      'waiting_entry.updated',
      'waiting_entry.offered',
      'waiting_entry.requeued',
      'waiting_entry.accepted',
      'waiting_entry.expired',
      'waiting_entry.withdrawn',
      'waiting_entry.reinstated',
    ],
    members: ['waitingEntryId', 'departureId', 'productId', 'status', 'seats', 'version'],
  },
];
