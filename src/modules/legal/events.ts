import type { EventGroup } from '../../platform/outbox/event-group.js';

export const legalEvents: EventGroup[] = [
  {
    channels: ['legal.contracts'],
    events: ['contract.issued', 'contract.sent', 'contract.expired', 'contract.voided'],
    facts: ['contractId', 'contractNumber', 'version'],
  },
  {
    channels: ['legal.policies'],
    events: ['policy.published', 'policy.retired'],
    facts: ['policyId', 'versionId', 'number', 'sha256'],
  },
  {
    channels: ['legal.policies'],
    events: [
      'policy_assignment.created',
      'policy_assignment.updated',
      'policy_assignment.removed',
      'policy_assignment.restored',
    ],
    facts: ['assignmentId', 'policyId', 'kind', 'scope', 'targetId', 'version'],
  },
];
