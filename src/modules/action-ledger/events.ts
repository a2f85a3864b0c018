import type { EventGroup } from '../../platform/outbox/outbox.js';

export const ledgerEvents: EventGroup[] = [
  {
    channels: ['action-ledger.reversals'],
    events: ['ledger.reversed'],
    members: ['entryId', 'reversalId', 'action', 'subjectType', 'subjectId', 'isRunning'],
  },
];
