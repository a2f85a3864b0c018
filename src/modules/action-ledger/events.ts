import type { EventGroup } from '../../platform/outbox/event-group.js';

export const ledgerEvents: EventGroup[] = [
  {
    channels: ['action-ledger.reversals'],
    events: ['ledger.reversed'],
    members: ['entryId', 'reversalId', 'action', 'subjectType', 'subjectId', 'isRunning'],
  },
];
