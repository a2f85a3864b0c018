import type { EventGroup } from '../../platform/outbox/outbox.js';

export const catalogEvents: EventGroup[] = [
  {
    channels: ['catalog.slices'],
    events: ['catalog.slice.changed'],
    members: ['vertical', 'locale', 'market', 'generation', 'documents'],
  },
];
