import { Id, ListOf, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { POLICY_KINDS, type PolicyKind } from '../policies/policy-kind.js';
import { PolicyResponse, toPolicy } from '../policies/policy.dto.js';
import { MAX_TARGET, PolicyAssignmentResponse, toAssignment } from '../policy-assignments/policy-assignment.dto.js';
import { ASSIGNMENT_SCOPES, type AssignmentScope } from '../policy-assignments/policy-assignment.entity.js';
import { PolicyVersionResponse, toVersion } from '../policy-versions/policy-version-response.dto.js';
import { type Explained, MAX_EXPLAINED, type Outcome, OUTCOMES, type Resolution } from './policy-resolution.service.js';

export class ResolvePolicy {
  /** @example "cancellation" */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** On this day; today unless given. */
  @Optional()
  @IsoDate()
  at?: string;

  @Optional()
  @Text({ max: MAX_TARGET })
  productId?: string;

  @Optional()
  @Text({ max: MAX_TARGET })
  channelId?: string;

  @Optional()
  @Text({ max: MAX_TARGET })
  supplierId?: string;

  @Optional()
  @Text({ max: MAX_TARGET })
  marketId?: string;

  @Optional()
  @Text({ max: MAX_TARGET })
  organizationId?: string;
}

export class ExplainedAssignment {
  @Id('pasn')
  assignmentId: string;

  @Id('pol')
  policyId: string;

  @OneOf(ASSIGNMENT_SCOPES)
  scope: AssignmentScope;

  @Text({ max: MAX_TARGET })
  targetId: string | null;

  @Whole({ min: -2_147_483_648, max: 2_147_483_647 })
  priority: number;

  @IsoDate()
  validFrom: string | null;

  @IsoDate()
  validTo: string | null;

  /** `applies`, or why not: the policy has `no_published_version`, or whoever applies is of a more specific scope, of a
   * higher priority, or newer. */
  @OneOf(OUTCOMES)
  outcome: Outcome;
}

export class ResolvedPolicy {
  @Nested(() => PolicyResponse)
  policy: PolicyResponse;

  @Nested(() => PolicyVersionResponse)
  version: PolicyVersionResponse;

  @Nested(() => PolicyAssignmentResponse)
  assignment: PolicyAssignmentResponse;

  /** Every assignment that could apply, in the order of precedence; 100 at most. */
  @ListOf(() => ExplainedAssignment, { max: MAX_EXPLAINED })
  explain: ExplainedAssignment[];
}

export class ResolvedEnvelope {
  /** Null where no policy applies. */
  @Nested(() => ResolvedPolicy)
  data: ResolvedPolicy | null;

  /** As in `data`, and there also where no policy applies. */
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
  return {
    assignmentId: assignment.id,
    policyId: assignment.policyId,
    scope: assignment.scope,
    targetId: assignment.targetId,
    priority: assignment.priority,
    validFrom: assignment.validFrom,
    validTo: assignment.validTo,
    outcome,
  };
}
