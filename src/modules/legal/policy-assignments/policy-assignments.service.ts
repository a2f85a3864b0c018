import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { ChannelsService } from '../../distribution/index.js';
import { PoliciesService } from '../policies/policies.service.js';
import {
  type CreatePolicyAssignment,
  type ListPolicyAssignments,
  LockedAssignmentRow,
  UpdatePolicyAssignment,
} from './policy-assignment.dto.js';
import { PolicyAssignment } from './policy-assignment.entity.js';

mapConstraint('policy_assignments_no_overlap', () =>
  conflict(
    'policy_assignment_overlap',
    'The validity period overlaps that of another assignment with the same kind, target and priority',
  ),
);

const EVENTS = { create: 'created', update: 'updated', remove: 'removed' } as const;

/**
 * Assignments of policies to products, channels and other targets. A removed assignment is not found; its removal can be
 * reversed.
 */
@Injectable()
export class PolicyAssignmentsService {
  private readonly rows: Rows<PolicyAssignment>;

  constructor(
    private readonly database: Database,
    private readonly policies: PoliciesService,
    private readonly channels: ChannelsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(PolicyAssignment);
  }

  async create(input: CreatePolicyAssignment & { locked?: boolean }, id = newId('pasn')): Promise<PolicyAssignment> {
    return this.database.transaction(async () => {
      const { kind } = await this.policies.lock(input.policyId, { field: 'policyId' });
      const now = this.clock.now();
      const assignment = make(PolicyAssignment, {
        id,
        policyId: input.policyId,
        kind,
        scope: input.scope,
        targetId: input.targetId,
        validFrom: input.validFrom,
        validTo: input.validTo,
        priority: input.priority ?? 0,
        locked: input.locked ?? false,
        createdAt: now,
      });
      assignment.assertTarget();
      assignment.assertValidity();
      const { scope, targetId } = assignment;
      if (scope === 'channel' && targetId !== null) await this.channels.assertUsable(targetId, 'targetId');
      await this.rows.insert(assignment);
      this.record('create', assignment, null);
      return assignment;
    });
  }

  /** Lists either the removed assignments or the others, newest first. */
  async list(query: ListPolicyAssignments): Promise<{ rows: PolicyAssignment[]; total: number }> {
    const { policyId, scope, targetId, removed = false } = query;
    const found = this.rows.query('assignment').where(`assignment.removedAt is ${removed ? 'not null' : 'null'}`);
    if (policyId !== undefined) found.andWhere('assignment.policyId = :policyId', { policyId });
    filterRows(found, 'assignment.scope', scope);
    if (targetId !== undefined) found.andWhere('assignment.targetId = :targetId', { targetId });
    sortRows(found, query.sort ?? '-createdAt');
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<PolicyAssignment> {
    const assignment = await this.rows.get(id);
    if (assignment.removedAt !== null) throw notFound();
    return assignment;
  }

  async update(id: string, changes: UpdatePolicyAssignment, expected: ExpectedVersions): Promise<PolicyAssignment> {
    return this.database.transaction(async () => {
      const assignment = await this.lockChangeable(id, expected);
      const before = assignment.auditImage();
      assignment.change(changes, this.clock.now());
      await this.rows.update(assignment);
      this.record('update', assignment, before);
      return assignment;
    });
  }

  /** Bookings keep the terms under which they were sold. */
  async remove(id: string, expected: ExpectedVersions): Promise<void> {
    await this.database.transaction(async () => {
      const assignment = await this.lockChangeable(id, expected);
      const before = assignment.auditImage();
      assignment.remove(currentActor().id, this.clock.now());
      await this.rows.update(assignment);
      this.record('remove', assignment, before);
    });
  }

  /** Removes the assignment; bookings keep the terms under which they were sold. */
  @Reverses('legal.policy_assignment.create', { effect: 'legal.policy_assignment.remove' })
  async reverseCreation(entry: RecordedAction): Promise<ReversalResult> {
    return this.reverseOpen(entry, 'removed', (one, now) => one.remove(currentActor().id, now));
  }

  @Reverses('legal.policy_assignment.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdatePolicyAssignment, entry.before);
    return this.reverseOpen(entry, 'updated', (one, now) => one.change(restored, now));
  }

  /** Restores the assignment. Bookings made meanwhile keep their terms. */
  @Reverses('legal.policy_assignment.remove', { effect: 'legal.policy_assignment.create' })
  async reverseRemoval(entry: RecordedAction): Promise<ReversalResult> {
    const assignment = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, assignment);
    const before = assignment.auditImage();
    assignment.restore(this.clock.now());
    await this.rows.update(assignment);
    this.publish('restored', assignment);
    return { before, after: assignment.auditImage() };
  }

  /** Provisions assignments, which the API cannot change or remove. Members that a row omits keep their values. */
  @Provisions({ name: 'policyAssignments', order: 440, row: LockedAssignmentRow })
  async provision(rows: LockedAssignmentRow[]): Promise<void> {
    for (const { policy: slug, ...row } of rows) {
      const policy = await this.policies.findBySlug(slug);
      if (!policy) throw new Error(`policyAssignments: there is no policy ${slug}`);
      const { scope, targetId, priority = 0 } = row;
      const existing = await this.database.repository(PolicyAssignment).findOneBy({
        policyId: policy.id,
        scope,
        targetId: targetId ?? IsNull(),
        priority,
        removedAt: IsNull(),
      });
      if (!existing) await this.create({ ...row, policyId: policy.id, locked: true });
      else await this.provisionExisting(existing.id, row);
    }
  }

  private async provisionExisting(id: string, row: Pick<LockedAssignmentRow, 'validFrom' | 'validTo'>): Promise<void> {
    const assignment = await this.rows.lock(id);
    const before = assignment.auditImage();
    const { validFrom = assignment.validFrom, validTo = assignment.validTo } = row;
    const isSame = assignment.locked && validFrom === assignment.validFrom && validTo === assignment.validTo;
    if (isSame) return;
    assignment.change({ validFrom, validTo }, this.clock.now());
    assignment.locked = true;
    await this.rows.update(assignment);
    this.record('update', assignment, before);
  }

  private async lockChangeable(id: string, expected: ExpectedVersions): Promise<PolicyAssignment> {
    const assignment = await this.rows.lock(id);
    if (assignment.removedAt !== null) throw notFound();
    assertVersion(expected, assignment);
    assignment.assertNotLocked();
    return assignment;
  }

  private async reverseOpen(
    entry: RecordedAction,
    event: (typeof EVENTS)[keyof typeof EVENTS],
    change: (assignment: PolicyAssignment, now: Date) => void,
  ): Promise<ReversalResult> {
    const assignment = await this.lockChangeable(entry.subjectId, null);
    assertUnchangedSince(entry, assignment);
    const before = assignment.auditImage();
    change(assignment, this.clock.now());
    await this.rows.update(assignment);
    this.publish(event, assignment);
    return { before, after: assignment.auditImage() };
  }

  private record(verb: keyof typeof EVENTS, assignment: PolicyAssignment, before: object | null): void {
    const subject = { subjectType: 'policy_assignment', subjectId: assignment.id };
    this.ledger.record(`legal.policy_assignment.${verb}`, { ...subject, before, after: assignment.auditImage() });
    this.publish(EVENTS[verb], assignment);
  }

  private publish(event: (typeof EVENTS)[keyof typeof EVENTS] | 'restored', assignment: PolicyAssignment): void {
    const { id: assignmentId, policyId, kind, scope, targetId, version } = assignment;
    const data = { assignmentId, policyId, kind, scope, targetId, version };
    this.outbox.add({ channel: 'legal.policies', event: `policy_assignment.${event}`, data });
  }
}
