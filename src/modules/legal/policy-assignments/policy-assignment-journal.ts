import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { toAssignment } from './policy-assignment.dto.js';
import type { PolicyAssignment } from './policy-assignment.entity.js';

const EVENTS = { create: 'created', update: 'updated', remove: 'removed' } as const;

/** An assignment as the ledger keeps it: whole, there is nobody's data in it. */
export function imageOfAssignment(assignment: PolicyAssignment): object {
  return toAssignment(assignment);
}

/** What is recorded and told of assignments. */
@Injectable()
export class PolicyAssignmentJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  tell(verb: keyof typeof EVENTS, assignment: PolicyAssignment, before: object | null): void {
    const subject = { subjectType: 'policy_assignment', subjectId: assignment.id };
    const after = imageOfAssignment(assignment);
    this.ledger.record(`legal.policy_assignment.${verb}`, { ...subject, before, after });
    this.announce(EVENTS[verb], assignment);
  }

  /** For subscribers alone: a reversal's entry is written by the ledger. */
  announce(event: (typeof EVENTS)[keyof typeof EVENTS] | 'restored', assignment: PolicyAssignment): void {
    const { id: assignmentId, policyId, kind, scope, targetId, version } = assignment;
    this.outbox.add({
      channel: 'legal.policies',
      event: `policy_assignment.${event}`,
      data: { assignmentId, policyId, kind, scope, targetId, version },
    });
  }
}
