import { PickType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Ignored, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { POLICY_KINDS, type PolicyKind } from '../policies/policy-kind.js';
import { MAX_SLUG, SLUG } from '../policies/policy-slug.js';
import { ASSIGNMENT_SCOPES, type AssignmentScope, type PolicyAssignment } from './policy-assignment.entity.js';

export const MAX_TARGET = 128;
const PRIORITY = { min: -2_147_483_648, max: 2_147_483_647 };

class PolicyAssignmentFields {
  /**
   * Type of the policy's target. The most specific scope takes precedence.
   * @example "product"
   */
  @OneOf(ASSIGNMENT_SCOPES)
  scope: AssignmentScope;

  /**
   * ID of the product, channel, supplier, market or organization. Must be null if the scope is `global`.
   * @example "prod_01k0dem000e000000000000001"
   */
  @Clearable()
  @Text({ max: MAX_TARGET })
  targetId?: string | null;

  /**
   * First day on which the assignment applies; null if it has no start.
   * @example "2027-01-01"
   */
  @Clearable()
  @IsoDate()
  validFrom?: string | null;

  /**
   * Last day on which the assignment applies, not before `validFrom`; null if it has no end.
   * @example null
   */
  @Clearable()
  @IsoDate()
  validTo?: string | null;

  /**
   * Among assignments of the same scope, the highest priority applies; 0 by default.
   * @example 10
   */
  @Optional()
  @Whole(PRIORITY)
  priority?: number;
}

/** A new assignment of a policy to a target. */
export class CreatePolicyAssignment extends PolicyAssignmentFields {
  @Ignored()
  id?: string;

  /**
   * The policy to assign.
   * @example "pol_01k0dem000e000000000000001"
   */
  @Id('pol')
  policyId: string;
}

/** A row of the provisioning section `policyAssignments`, identified by policy, scope, target and priority. */
export class LockedAssignmentRow extends PolicyAssignmentFields {
  /** Slug of the policy. */
  @Text({ max: MAX_SLUG, pattern: SLUG })
  policy: string;
}

/** Changes of an assignment; fields that are not sent keep their value. Policy, scope and target are fixed. */
export class UpdatePolicyAssignment extends patchOf(
  PickType(PolicyAssignmentFields, ['validFrom', 'validTo', 'priority'] as const),
) {}

/** Filters and paging of the list of assignments. */
export class ListPolicyAssignments extends PageQuery {
  /** Only assignments of this policy. */
  @Optional()
  @Id('pol')
  policyId?: string;

  /** Only assignments with these types of targets. */
  @Optional()
  @AnyOf(ASSIGNMENT_SCOPES)
  scope?: AssignmentScope[];

  /** Only assignments to the target with this ID. */
  @Optional()
  @Text({ max: MAX_TARGET })
  targetId?: string;

  /** `true` returns only removed assignments, `false` (default) only those in effect. */
  @Optional()
  @QueryFlag()
  removed?: boolean;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** An assignment of a policy to a target. */
export class PolicyAssignmentResponse {
  @Id('pasn')
  id: string;

  /** The assigned policy. */
  @Id('pol')
  policyId: string;

  /** Kind of the assigned policy. */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** Type of the policy's target. */
  @OneOf(ASSIGNMENT_SCOPES)
  scope: AssignmentScope;

  /** ID of the target; null if the scope is `global`. */
  @Text({ max: MAX_TARGET })
  targetId: string | null;

  /** First day on which the assignment applies; null if it has no start. */
  @IsoDate()
  validFrom: string | null;

  /** Last day on which the assignment applies; null if it has no end. */
  @IsoDate()
  validTo: string | null;

  /** Among assignments of the same scope, the highest priority applies. */
  @Whole(PRIORITY)
  priority: number;

  /** Whether the assignment was provisioned. If so, the API cannot change or remove it. */
  @Flag()
  locked: boolean;

  /** Time of removal; null while it is in effect. */
  @Instant()
  removedAt: string | null;

  /** ID of the user or key that removed it; null while it is in effect. */
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
  return respond(PolicyAssignmentResponse, assignment);
}

export class PolicyAssignmentEnvelope extends dataOf(PolicyAssignmentResponse) {}
export class PolicyAssignmentPage extends pageOf(PolicyAssignmentResponse) {}
