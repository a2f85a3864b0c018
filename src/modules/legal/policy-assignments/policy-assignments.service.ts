import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ChannelsService } from '../../distribution/index.js';
import { Policies } from '../policies/policies.service.js';
import type { CreatePolicyAssignment, ListPolicyAssignments, UpdatePolicyAssignment } from './policy-assignment.dto.js';
import { PolicyAssignment } from './policy-assignment.entity.js';
import { imageOfAssignment, PolicyAssignmentJournal } from './policy-assignment-journal.js';

mapConstraint('policy_assignments_no_overlap', () =>
  conflict('policy_assignment_overlap', 'The validity overlaps another assignment with this kind, target and priority'),
);

/** What policies apply to. A removed assignment is as good as unknown. */
@Injectable()
export class PolicyAssignments {
  constructor(
    private readonly database: Database,
    private readonly policies: Policies,
    private readonly channels: ChannelsService,
    private readonly journal: PolicyAssignmentJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws 400, 404 for an unknown policy or channel, 409 `channel_archived`, `policy_assignment_overlap`. */
  async create(input: CreatePolicyAssignment & { locked?: boolean }, id = newId('pasn')): Promise<PolicyAssignment> {
    return this.database.transaction(async () => {
      const { kind } = await this.policies.lock(input.policyId, { field: 'policyId' });
      const now = this.clock.now();
      const assignment = make(PolicyAssignment, {
        id,
        policyId: input.policyId,
        kind,
        scope: input.scope,
        targetId: input.targetId ?? null,
        validFrom: input.validFrom ?? null,
        validTo: input.validTo ?? null,
        priority: input.priority ?? 0,
        locked: input.locked ?? false,
        removedAt: null,
        removedBy: null,
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      assignment.assertTarget();
      assignment.assertValidity();
      const { scope, targetId } = assignment;
      if (scope === 'channel' && targetId !== null) await this.channels.assertUsable(targetId, 'targetId');
      await this.database.insert(assignment);
      this.journal.tell('create', assignment, null);
      return assignment;
    });
  }

  /** Newest first; those that were removed only where they are asked for. */
  async list(query: ListPolicyAssignments): Promise<{ assignments: PolicyAssignment[]; total: number }> {
    const { limit, offset, removed = false, ...named } = { ...query, ...pageBounds(query) };
    const [assignments, total] = await this.database.repository(PolicyAssignment).findAndCount({
      where: { ...named, removedAt: removed ? Not(IsNull()) : IsNull() },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { assignments, total };
  }

  /** Throws 404. */
  async get(id: string): Promise<PolicyAssignment> {
    const assignment = await this.database.repository(PolicyAssignment).findOneBy({ id, removedAt: IsNull() });
    return assignment ?? refuseUnknown();
  }

  /** Throws 400, 404, 409 `policy_assignment_locked`, `policy_assignment_overlap`, 412. */
  async update(id: string, changes: UpdatePolicyAssignment, expected: ExpectedVersions): Promise<PolicyAssignment> {
    return this.change(id, expected, async (assignment, now) => {
      const before = imageOfAssignment(assignment);
      assignment.change(changes, now);
      await this.database.update(assignment);
      this.journal.tell('update', assignment, before);
    });
  }

  /** Terms that were sold under it stay what they are. Throws 404, 409 `policy_assignment_locked`, 412. */
  async remove(id: string, expected: ExpectedVersions): Promise<void> {
    await this.change(id, expected, async (assignment, now) => {
      const before = imageOfAssignment(assignment);
      assignment.remove(currentActor().id, now);
      await this.database.update(assignment);
      this.journal.tell('remove', assignment, before);
    });
  }

  private async change(
    id: string,
    expected: ExpectedVersions,
    work: (assignment: PolicyAssignment, now: Date) => Promise<void>,
  ): Promise<PolicyAssignment> {
    return this.database.transaction(async () => {
      const assignment = await this.database.lock(PolicyAssignment, id);
      if (!assignment || assignment.removedAt !== null) return refuseUnknown();
      assertVersion(expected, assignment);
      assignment.assertNotLocked();
      await work(assignment, this.clock.now());
      return assignment;
    });
  }
}

function refuseUnknown(): never {
  throw notFound();
}
