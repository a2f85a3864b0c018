import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Text } from '../../../platform/http/fields.js';
import { Policy } from '../policies/policy.entity.js';
import { MAX_SLUG, SLUG } from '../policies/policy-slug.js';
import { PolicyAssignmentFields } from './policy-assignment.dto.js';
import { PolicyAssignment } from './policy-assignment.entity.js';
import { imageOfAssignment, PolicyAssignmentJournal } from './policy-assignment-journal.js';
import { PolicyAssignments } from './policy-assignments.service.js';

/** A row of the provisioning section `policyAssignments`, known by policy, scope, target and priority. */
export class LockedAssignmentRow extends PolicyAssignmentFields {
  /** The policy's slug. */
  @Text({ max: MAX_SLUG, pattern: SLUG })
  policy: string;
}

/** Assignments that nobody removes over HTTP. Members that a row leaves out stay as they are. */
@Injectable()
export class LockedAssignments {
  constructor(
    private readonly database: Database,
    private readonly assignments: PolicyAssignments,
    private readonly journal: PolicyAssignmentJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws an Error for an unknown policy, and what making an assignment throws; then no row was applied. */
  async apply(rows: LockedAssignmentRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of rows) await this.applyRow(row);
    });
  }

  private async applyRow({ policy: slug, ...row }: LockedAssignmentRow): Promise<void> {
    const policy = await this.database.repository(Policy).findOneBy({ slug });
    if (!policy) throw new Error(`policyAssignments: there is no policy ${slug}`);
    const { scope, targetId, priority = 0 } = row;
    const found = await this.database.repository(PolicyAssignment).findOneBy({
      policyId: policy.id,
      scope,
      targetId: targetId ?? IsNull(),
      priority,
      removedAt: IsNull(),
    });
    if (!found) await this.assignments.create({ ...row, policyId: policy.id, locked: true });
    else await this.lock(found.id, row);
  }

  private async lock(id: string, row: Pick<LockedAssignmentRow, 'validFrom' | 'validTo'>): Promise<void> {
    const assignment = await this.database.lock(PolicyAssignment, id);
    if (!assignment) throw new Error(`${id} is gone`);
    const before = imageOfAssignment(assignment);
    const { validFrom = assignment.validFrom, validTo = assignment.validTo } = row;
    const isSame = assignment.locked && validFrom === assignment.validFrom && validTo === assignment.validTo;
    if (isSame) return;
    assignment.change({ validFrom, validTo }, this.clock.now());
    assignment.locked = true;
    await this.database.update(assignment);
    this.journal.tell('update', assignment, before);
  }
}
