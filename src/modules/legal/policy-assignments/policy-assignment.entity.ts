import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import type { PolicyKind } from '../policies/policy-kind.js';

/** Sorted from the most specific to the least; this order decides which policy applies. */
export const ASSIGNMENT_SCOPES = named('PolicyAssignmentScope', [
  'product',
  'supplier',
  'channel',
  'market',
  'organization',
  'global',
]);
export type AssignmentScope = (typeof ASSIGNMENT_SCOPES)[number];

interface AssignmentChanges {
  validFrom?: string | null;
  validTo?: string | null;
  priority?: number;
}

/** Makes a policy apply to a target on a range of days. */
@Entity('policy_assignments')
export class PolicyAssignment extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'policy_id' }) policyId: string;
  /** The kind of the policy; the constraint against overlaps needs it. */
  @Column('text') kind: PolicyKind;
  @Column('text') scope: AssignmentScope;
  @Column('text', { name: 'target_id', nullable: true }) targetId: string | null;
  @Column('date', { name: 'valid_from', nullable: true }) validFrom: string | null;
  @Column('date', { name: 'valid_to', nullable: true }) validTo: string | null;
  @Column('integer') priority: number;
  /** True if it was provisioned; the API then cannot change or remove it. */
  @Column('boolean') locked: boolean;
  @Column('timestamptz', { name: 'removed_at', nullable: true }) removedAt: Date | null;
  @Column('text', { name: 'removed_by', nullable: true }) removedBy: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** A global assignment has no target; every other one needs a target. */
  assertTarget(): void {
    if ((this.scope === 'global') === (this.targetId === null)) return;
    const message =
      this.scope === 'global'
        ? 'targetId must be null if the scope is global'
        : `targetId is required if the scope is ${this.scope}`;
    throw invalidField('targetId', message, 'target_of_scope');
  }

  assertValidity(): void {
    if (this.validFrom === null || this.validTo === null || this.validTo >= this.validFrom) return;
    throw invalidField('validTo', 'validTo must not be before validFrom', 'end_before_start');
  }

  change(changes: AssignmentChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertValidity();
  }

  remove(by: string, now: Date): void {
    Object.assign(this, { removedAt: now, removedBy: by, updatedAt: now });
  }

  restore(now: Date): void {
    Object.assign(this, { removedAt: null, removedBy: null, updatedAt: now });
  }

  assertNotLocked(): void {
    if (this.locked) {
      throw conflict('policy_assignment_locked', 'A provisioned assignment cannot be changed or removed');
    }
  }
}
