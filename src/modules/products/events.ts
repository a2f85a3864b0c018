import type { EventGroup } from '../../platform/outbox/outbox.js';

export const productEvents: EventGroup[] = [
  { channels: ['products'], events: ['product.changed'], members: ['productId', 'status'] },
  {
    channels: ['products.price_lists'],
    events: ['price_list.activated'],
    members: ['priceListId', 'currency', 'channelId'],
  },
];
