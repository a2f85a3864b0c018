import { named } from '../../../platform/http/named-values.js';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Policies, type PolicyView } from '../policies/policies.service.js';
import type { PolicyKind } from '../policies/policy-kind.js';
import { PolicyAssignment } from '../policy-assignments/policy-assignment.entity.js';
import { PolicyVersionRows, type VersionView } from '../policy-versions/policy-version-rows.service.js';
import { liveOn, PRECEDENCE } from './precedence.js';

export const OUTCOMES = named('PolicyOutcome', [
  'applies',
  'no_published_version',
  'less_specific',
  'lower_priority',
  'older',
]);
export type Outcome = (typeof OUTCOMES)[number];

/** Candidates that are explained; more than one target has many only where every priority is used. */
export const MAX_EXPLAINED = 100;

/** What is asked about; an id that is not given matches nothing specific. */
export interface Circumstances {
  kind: PolicyKind;
  at?: string;
  productId?: string;
  supplierId?: string;
  channelId?: string;
  marketId?: string;
  organizationId?: string;
}

/** An assignment that could have applied, and what became of it. */
export interface Explained {
  assignment: PolicyAssignment;
  outcome: Outcome;
}

export interface Resolution {
  /** Null where no policy applies. */
  found: { policy: PolicyView; version: VersionView; assignment: PolicyAssignment } | null;
  explain: Explained[];
}

interface Candidate {
  entity: PolicyAssignment;
  raw: { isPublished: boolean };
}

/** Which policy of a kind applies. */
@Injectable()
export class PolicyResolution {
  constructor(
    private readonly database: Database,
    private readonly policies: Policies,
    private readonly versions: PolicyVersionRows,
    private readonly clock: Clock,
  ) {}

  async resolve(asked: Circumstances): Promise<Resolution> {
    const candidates = await this.candidates(asked);
    const [first] = candidates;
    const explain = candidates.map((candidate) => explained(candidate, first));
    if (!first?.raw.isPublished) return { found: null, explain };
    const assignment = first.entity;
    const policy = await this.policies.get(assignment.policyId);
    const version = await this.versions.findPublished(assignment.policyId);
    // Retired between the statements: then it does not apply any more.
    return version ? { found: { policy, version, assignment }, explain } : this.resolve(asked);
  }

  /** Whoever applies comes first, those without a published version last. */
  private async candidates(asked: Circumstances): Promise<Candidate[]> {
    const { kind, at = this.clock.today(), productId, supplierId, channelId, marketId, organizationId } = asked;
    const targets = [productId, supplierId, channelId, marketId, organizationId].map((id) => id ?? null);
    const isPublished = `exists (select from policy_versions v where v.policy_id = a.policy_id and v.status = 'published')`;
    return this.database.read<PolicyAssignment, Candidate['raw']>(PolicyAssignment, {
      name: 'policy-candidates',
      text: `select ${this.database.columnsOf(PolicyAssignment, 'a')}, ${isPublished} as "isPublished"
        from policy_assignments a
        where a.kind = $1 and ${liveOn('$2')} and (
          a.scope = 'global' or a.scope = 'product' and a.target_id = $3 or a.scope = 'supplier' and a.target_id = $4
          or a.scope = 'channel' and a.target_id = $5 or a.scope = 'market' and a.target_id = $6
          or a.scope = 'organization' and a.target_id = $7)
        order by ${isPublished} desc, ${PRECEDENCE} limit ${MAX_EXPLAINED}`,
      values: [kind, at, ...targets],
    });
  }
}

function explained({ entity: assignment, raw }: Candidate, first: Candidate | undefined): Explained {
  return {
    assignment,
    outcome: raw.isPublished ? outcomeOf(assignment, first?.entity ?? assignment) : 'no_published_version',
  };
}

/** Why it gave way to whoever applies. */
function outcomeOf(assignment: PolicyAssignment, applied: PolicyAssignment): Outcome {
  if (assignment.id === applied.id) return 'applies';
  if (assignment.scope !== applied.scope) return 'less_specific';
  return assignment.priority === applied.priority ? 'older' : 'lower_priority';
}
