import type { EventGroup } from '../../platform/outbox/outbox.js';

export const legalEvents: EventGroup[] = [
  {
    channels: ['legal.contracts'],
    events: [
      'contract.issued',
      'contract.sent',
      'contract.signed',
      'contract.withdrawn',
      'contract.restored',
      'contract.expired',
      'contract.voided',
    ],
    members: ['contractReference', 'contractNumber', 'version'],
  },
  {
    channels: ['legal.policies'],
    events: ['policy.published', 'policy.retired'],
    members: ['policyId', 'versionId', 'number', 'sha256'],
  },
  {
    channels: ['legal.policies'],
    events: [
      'policy_assignment.created',
      'policy_assignment.updated',
      'policy_assignment.removed',
      'policy_assignment.restored',
    ],
    members: ['assignmentId', 'policyId', 'kind', 'scope', 'targetId', 'version'],
  },
];
