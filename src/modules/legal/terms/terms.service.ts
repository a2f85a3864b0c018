import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { named } from '../../../platform/http/named-values.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { PolicyKind } from '../policies/policy-kind.js';
import type { PolicyView } from '../policies/policy.entity.js';
import { ASSIGNMENT_SCOPES, PolicyAssignment } from '../policy-assignments/policy-assignment.entity.js';
import type { VersionView } from '../policy-versions/policy-version.entity.js';
import { PolicyVersionsService } from '../policy-versions/policy-versions.service.js';
import { digestOf } from '../texts/document-text.js';
import { cancellationCost, type CancellationCost, type CancelledSale, lastRefundDays } from './cancellation-cost.js';

export const OUTCOMES = named('PolicyOutcome', [
  'applies',
  'no_published_version',
  'less_specific',
  'lower_priority',
  'older',
]);
export type Outcome = (typeof OUTCOMES)[number];

/** Maximum number of explained candidates. */
export const MAX_EXPLAINED = 100;

/** An id that is not given matches no assignment to such a target. */
export interface PolicyQuestion {
  kind: PolicyKind;
  at?: string;
  productId?: string;
  supplierId?: string;
  channelId?: string;
  marketId?: string;
  organizationId?: string;
}

/** A matching assignment and whether it applies. */
export interface Explained {
  assignment: PolicyAssignment;
  outcome: Outcome;
}

export interface Resolution {
  /** Null if no policy applies. */
  found: { policy: PolicyView; version: VersionView; assignment: PolicyAssignment } | null;
  explain: Explained[];
}

interface Candidate {
  entity: PolicyAssignment;
  raw: { isPublished: boolean };
}

/** Properties of a sale, as far as they are known. */
export interface Sale {
  /** The day of the sale. */
  on: string;
  channelId: string | null;
  productIds: readonly string[];
}

/** A version that applies to a sale or to a part of it. */
export interface TermsLine {
  kind: PolicyKind;
  policyId: string;
  policyVersionId: string;
  number: number;
  /** Digest of the version. */
  sha256: string;
  /** The products to which it applies; null means everything that no other line of its kind names. */
  productIds: string[] | null;
}

export interface Terms {
  lines: TermsLine[];
  /** SHA-256 of the canonical JSON (RFC 8785) of the lines. */
  sha256: string;
}

type TermsRow = Omit<TermsLine, 'productIds'> & { productId: string | null };

/** Ranks the scope of the assignment `a`; the lowest rank is the most specific. */
const SCOPE_RANK = `array_position(array['${ASSIGNMENT_SCOPES.join("', '")}'], a.scope)`;

/** Orders assignments `a`; the first one applies. */
const PRECEDENCE = `${SCOPE_RANK}, a.priority desc, a.created_at desc, a.id desc`;

/** Whether the assignment `a` is in force on the day in this parameter. */
function inForceOn(day: string): string {
  return `a.removed_at is null and (a.valid_from is null or a.valid_from <= ${day}::date)
    and (a.valid_to is null or a.valid_to >= ${day}::date)`;
}

/** Determines which published versions apply. */
@Injectable()
export class TermsService {
  constructor(
    private readonly database: Database,
    private readonly policies: PoliciesService,
    private readonly versions: PolicyVersionsService,
    private readonly clock: Clock,
  ) {}

  /** Finds the applicable policy of a kind, with the reasons. */
  async resolve(question: PolicyQuestion): Promise<Resolution> {
    const candidates = await this.candidates(question);
    const [first] = candidates;
    const explain = candidates.map(({ entity: assignment, raw }) => ({
      assignment,
      outcome: raw.isPublished ? outcomeOf(assignment, first?.entity ?? assignment) : 'no_published_version',
    })) satisfies Explained[];
    if (!first?.raw.isPublished) return { found: null, explain };
    const assignment = first.entity;
    const policy = await this.policies.get(assignment.policyId);
    const version = await this.versions.findPublished(assignment.policyId);
    // If the version was retired between the statements, it no longer applies.
    return version ? { found: { policy, version, assignment }, explain } : this.resolve(question);
  }

  /** Returns the terms of a sale for every kind except `commission`, which is agreed with partners, not with customers. */
  async inForce({ on, channelId, productIds }: Sale): Promise<Terms> {
    const rows = await this.database.prepared<TermsRow>(
      'terms-in-force',
      `with asked as (select null as product_id union select unnest($3::text[]))
       select distinct on (a.kind, asked.product_id) a.kind, asked.product_id as "productId", v.policy_id as "policyId",
         v.id as "policyVersionId", v.number, v.sha256
       from asked
       join policy_assignments a on ${inForceOn('$1')} and a.kind <> 'commission' and (
         a.scope = 'global' or a.scope = 'channel' and a.target_id = $2
         or a.scope = 'product' and a.target_id = asked.product_id)
       join policy_versions v on v.policy_id = a.policy_id and v.status = 'published'
       order by a.kind, asked.product_id nulls first, ${PRECEDENCE}`,
      [on, channelId, productIds],
    );
    const lines = linesOf(rows);
    return { lines, sha256: digestOf(canonicalize(lines) ?? '') };
  }

  /**
   * For each product, the fewest days before its departure on which a sale of today is still refunded in part when the customer
   * cancels it.
   */
  async lastRefundDays(
    productIds: readonly string[],
    { channelId }: { channelId: string },
  ): Promise<Map<string, number>> {
    const today = this.clock.today();
    const { lines } = await this.inForce({ on: today, channelId, productIds });
    const own = lines.filter(({ kind }) => kind === 'cancellation');
    const rules = await this.versions.rulesOf(own.map(({ policyVersionId }) => policyVersionId));
    const policies = own.map((line) => ({ ...line, rules: rules.get(line.policyVersionId) ?? [] }));
    return new Map(productIds.map((id) => [id, lastRefundDays(policies, { productId: id, today })]));
  }

  /** Computes the cost of cancelling a sale by the rules of the versions under which it was made, even if they are retired. */
  async cancellationCost(terms: readonly TermsLine[], sale: CancelledSale): Promise<CancellationCost> {
    const lines = terms.filter(({ kind }) => kind === 'cancellation');
    const rules = await this.versions.rulesOf(lines.map(({ policyVersionId }) => policyVersionId));
    const policies = lines.map(({ policyVersionId, productIds }) => {
      return { policyVersionId, productIds, rules: rules.get(policyVersionId) ?? [] };
    });
    return cancellationCost(policies, sale);
  }

  /** Sorts by precedence, with policies without a published version last. */
  private async candidates(question: PolicyQuestion): Promise<Candidate[]> {
    const { kind, at = this.clock.today(), productId, supplierId, channelId, marketId, organizationId } = question;
    const targets = [productId, supplierId, channelId, marketId, organizationId].map((id) => id ?? null);
    const isPublished = `exists (select from policy_versions v where v.policy_id = a.policy_id and v.status = 'published')`;
    return this.database.read<PolicyAssignment, Candidate['raw']>(PolicyAssignment, {
      name: 'policy-candidates',
      text: `select ${this.database.columnsOf(PolicyAssignment, 'a')}, ${isPublished} as "isPublished"
        from policy_assignments a
        where a.kind = $1 and ${inForceOn('$2')} and (
          a.scope = 'global' or a.scope = 'product' and a.target_id = $3 or a.scope = 'supplier' and a.target_id = $4
          or a.scope = 'channel' and a.target_id = $5 or a.scope = 'market' and a.target_id = $6
          or a.scope = 'organization' and a.target_id = $7)
        order by ${isPublished} desc, ${PRECEDENCE} limit ${MAX_EXPLAINED}`,
      values: [kind, at, ...targets],
    });
  }
}

function outcomeOf(assignment: PolicyAssignment, applied: PolicyAssignment): Outcome {
  if (assignment.id === applied.id) return 'applies';
  if (assignment.scope !== applied.scope) return 'less_specific';
  return assignment.priority === applied.priority ? 'older' : 'lower_priority';
}

/** Makes one line per version. In each kind, rows without a product come first. */
function linesOf(rows: readonly TermsRow[]): TermsLine[] {
  const lines: TermsLine[] = [];
  for (const { productId, kind, policyId, policyVersionId, number, sha256 } of rows) {
    const line = lines.find((one) => one.kind === kind && one.policyVersionId === policyVersionId);
    const productIds = productId === null ? null : [productId];
    if (!line) lines.push({ kind, policyId, policyVersionId, number, sha256, productIds });
    else if (line.productIds !== null && productId !== null) line.productIds.push(productId);
  }
  return lines;
}
