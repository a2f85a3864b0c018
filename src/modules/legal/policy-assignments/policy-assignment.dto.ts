import { PickType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Ignored, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { POLICY_KINDS, type PolicyKind } from '../policies/policy-kind.js';
import { ASSIGNMENT_SCOPES, type AssignmentScope, type PolicyAssignment } from './policy-assignment.entity.js';

export const MAX_TARGET = 128;
const PRIORITY = { min: -2_147_483_648, max: 2_147_483_647 };

export class PolicyAssignmentFields {
  /** What the policy applies to.
   * @example "product" */
  @OneOf(ASSIGNMENT_SCOPES)
  scope: AssignmentScope;

  /** Which product, channel and so on; of a global assignment none.
   * @example "tour-danube-delta" */
  @Clearable()
  @Text({ max: MAX_TARGET })
  targetId?: string | null;

  /** First day on which it applies; null: it always did.
   * @example "2027-01-01" */
  @Clearable()
  @IsoDate()
  validFrom?: string | null;

  /** Last day on which it applies, not before validFrom; null: it always will.
   * @example null */
  @Clearable()
  @IsoDate()
  validTo?: string | null;

  /** Of assignments of one scope the highest applies; 0 unless given.
   * @example 10 */
  @Optional()
  @Whole(PRIORITY)
  priority?: number;
}

export class CreatePolicyAssignment extends PolicyAssignmentFields {
  @Ignored()
  id?: string;

  /** @example "pol_01k0dem000e000000000000001" */
  @Id('pol')
  policyId: string;
}

/** Which policy applies to what is fixed. */
export class UpdatePolicyAssignment extends patchOf(
  PickType(PolicyAssignmentFields, ['validFrom', 'validTo', 'priority'] as const),
) {}

export class ListPolicyAssignments extends PageQuery {
  @Optional()
  @Id('pol')
  policyId?: string;

  @Optional()
  @OneOf(ASSIGNMENT_SCOPES)
  scope?: AssignmentScope;

  @Optional()
  @Text({ max: MAX_TARGET })
  targetId?: string;

  /** Those that were removed, and who did; live ones unless given. */
  @Optional()
  @QueryFlag()
  removed?: boolean;
}

export class PolicyAssignmentResponse {
  @Id('pasn')
  id: string;

  @Id('pol')
  policyId: string;

  /** The policy's. */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  @OneOf(ASSIGNMENT_SCOPES)
  scope: AssignmentScope;

  @Text({ max: MAX_TARGET })
  targetId: string | null;

  @IsoDate()
  validFrom: string | null;

  @IsoDate()
  validTo: string | null;

  @Whole(PRIORITY)
  priority: number;

  /** Provisioned, and stays as it is. */
  @Flag()
  locked: boolean;

  @Instant()
  removedAt: string | null;

  /** The user's or key's id. */
  @Text({ max: 100 })
  removedBy: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toAssignment(assignment: PolicyAssignment): PolicyAssignmentResponse {
  return {
    id: assignment.id,
    policyId: assignment.policyId,
    kind: assignment.kind,
    scope: assignment.scope,
    targetId: assignment.targetId,
    validFrom: assignment.validFrom,
    validTo: assignment.validTo,
    priority: assignment.priority,
    locked: assignment.locked,
    removedAt: assignment.removedAt?.toISOString() ?? null,
    removedBy: assignment.removedBy,
    version: assignment.version,
    createdAt: assignment.createdAt.toISOString(),
    updatedAt: assignment.updatedAt.toISOString(),
  };
}

export class PolicyAssignmentEnvelope extends dataOf(PolicyAssignmentResponse) {}
export class PolicyAssignmentPage extends pageOf(PolicyAssignmentResponse) {}

export class PolicyAssignmentRemoved {
  /** @example true */
  @Flag()
  success: boolean;
}
