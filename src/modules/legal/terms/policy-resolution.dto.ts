import { Id, ListOf, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { POLICY_KINDS, type PolicyKind } from '../policies/policy-kind.js';
import { PolicyResponse, toPolicy } from '../policies/policy.dto.js';
import { MAX_TARGET, PolicyAssignmentResponse, toAssignment } from '../policy-assignments/policy-assignment.dto.js';
import { ASSIGNMENT_SCOPES, type AssignmentScope } from '../policy-assignments/policy-assignment.entity.js';
import { PolicyVersionResponse, toVersion } from '../policy-versions/policy-version.dto.js';
import { type Explained, MAX_EXPLAINED, type Outcome, OUTCOMES, type Resolution } from './terms.service.js';

/** The circumstances for which a policy is resolved. An ID that is not sent matches only global assignments. */
export class ResolvePolicy {
  /**
   * Kind of policy to find.
   * @example "cancellation"
   */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** Day for which the policy is resolved; today by default. */
  @Optional()
  @IsoDate()
  at?: string;

  /** Product that is sold. */
  @Optional()
  @Text({ max: MAX_TARGET })
  productId?: string;

  /** Channel through which it is sold. */
  @Optional()
  @Text({ max: MAX_TARGET })
  channelId?: string;

  /** Supplier of the product. */
  @Optional()
  @Text({ max: MAX_TARGET })
  supplierId?: string;

  /** Market of the sale. */
  @Optional()
  @Text({ max: MAX_TARGET })
  marketId?: string;

  /** Organization that buys the product. */
  @Optional()
  @Text({ max: MAX_TARGET })
  organizationId?: string;
}

/** An assignment that was a candidate, with the outcome of the resolution. */
export class ExplainedAssignment {
  /** The candidate assignment. */
  @Id('pasn')
  assignmentId: string;

  /** The policy that it assigns. */
  @Id('pol')
  policyId: string;

  /** Type of the policy's target. */
  @OneOf(ASSIGNMENT_SCOPES)
  scope: AssignmentScope;

  /** ID of the target; null if the scope is `global`. */
  @Text({ max: MAX_TARGET })
  targetId: string | null;

  /** Among assignments of the same scope, the highest priority applies. */
  @Whole({ min: -2_147_483_648, max: 2_147_483_647 })
  priority: number;

  /** First day on which the assignment applies; null if it has no start. */
  @IsoDate()
  validFrom: string | null;

  /** Last day on which the assignment applies; null if it has no end. */
  @IsoDate()
  validTo: string | null;

  /**
   * `applies`, or why it does not: `no_published_version` (its policy has none), `less_specific` (the applied assignment has a
   * more specific scope), `lower_priority` or `older` (the applied assignment has a higher priority or is newer).
   */
  @OneOf(OUTCOMES)
  outcome: Outcome;
}

/** The policy that applies, with the text and the assignment that made it apply. */
export class ResolvedPolicy {
  /** The policy that applies. */
  @Nested(() => PolicyResponse)
  policy: PolicyResponse;

  /** Its published version with text and rules. */
  @Nested(() => PolicyVersionResponse)
  version: PolicyVersionResponse;

  /** The assignment that made it apply. */
  @Nested(() => PolicyAssignmentResponse)
  assignment: PolicyAssignmentResponse;

  /** All candidates in order of precedence, at most 100. */
  @ListOf(() => ExplainedAssignment, { max: MAX_EXPLAINED })
  explain: ExplainedAssignment[];
}

/** The result of resolving a policy. */
export class ResolvedEnvelope {
  /** The policy that applies; null if there is none. */
  @Nested(() => ResolvedPolicy)
  data: ResolvedPolicy | null;

  /** All candidates in order of precedence, at most 100. Also present if no policy applies. */
  @ListOf(() => ExplainedAssignment, { max: MAX_EXPLAINED })
  explain: ExplainedAssignment[];
}

export function toResolved({ found, explain: candidates }: Resolution): ResolvedEnvelope {
  const explain = candidates.map(toExplained);
  if (!found) return { data: null, explain };
  const { policy, version, assignment } = found;
  const data = { policy: toPolicy(policy), version: toVersion(version), assignment: toAssignment(assignment), explain };
  return { data, explain };
}

function toExplained({ assignment, outcome }: Explained): ExplainedAssignment {
  return respond(ExplainedAssignment, assignment, { assignmentId: assignment.id, outcome });
}
