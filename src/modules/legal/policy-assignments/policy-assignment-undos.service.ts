import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { assertUnchangedSince, type RecordedAction, Reversals, type Undone } from '../../action-ledger/index.js';
import { PolicyAssignment } from './policy-assignment.entity.js';
import { imageOfAssignment, PolicyAssignmentJournal } from './policy-assignment-journal.js';

/** An assignment that was removed by mistake applies again. Terms that were sold meanwhile stay what they are. */
@Injectable()
export class PolicyAssignmentUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly database: Database,
    private readonly journal: PolicyAssignmentJournal,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.reversals.register('legal.policy_assignment.remove', { reverse: (entry) => this.restore(entry) });
  }

  /** Throws 409 `changed_since` where it is back already, `policy_assignment_overlap`. */
  private async restore(entry: RecordedAction): Promise<Undone> {
    const assignment = await this.database.lock(PolicyAssignment, entry.subjectId);
    if (!assignment) throw notFound();
    assertUnchangedSince(entry, assignment);
    const before = imageOfAssignment(assignment);
    assignment.restore(this.clock.now());
    await this.database.update(assignment);
    this.journal.announce('restored', assignment);
    return { before, after: imageOfAssignment(assignment) };
  }
}
