import type { EventGroup } from '../../platform/outbox/outbox.js';

export const productEvents: EventGroup[] = [
  { channels: ['products'], events: ['product.changed'], members: ['productId', 'status'] },
];
