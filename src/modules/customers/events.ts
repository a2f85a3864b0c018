import type { EventGroup } from '../../platform/outbox/outbox.js';

export const customerEvents: EventGroup[] = [
  {
    channels: ['customers'],
    events: [
      'customer.created',
      'customer.updated',
      'customer.archived',
      'customer.restored',
      'customer.merged',
      'customer.separated',
      'customer.erased',
    ],
    members: ['customerId', 'kind', 'status', 'mergedIntoId', 'version'],
  },
];
