import type { EventGroup } from '../../platform/outbox/outbox.js';

export const deskEvents: EventGroup[] = [
  {
    channels: ['operations.departures'],
    events: ['call_off.progressed'],
    members: ['callOffId', 'departureId', 'status', 'total', 'done', 'failed', 'skipped'],
  },
];
