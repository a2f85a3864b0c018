import type { EventGroup } from '../../platform/outbox/outbox.js';

export const taxEvents: EventGroup[] = [
  {
    channels: ['finance.tax_codes'],
    events: ['tax_code.created', 'tax_code.updated'],
    members: ['taxCodeId', 'code', 'active', 'version'],
  },
];
