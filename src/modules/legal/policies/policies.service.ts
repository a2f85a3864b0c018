import { Injectable } from '@nestjs/common';
import { Brackets } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { slugOf } from './policy-slug.js';
import { type CreatePolicy, type ListPolicies, UpdatePolicy } from './policy.dto.js';
import { Policy, type PolicyView } from './policy.entity.js';

mapConstraint('policies_slug', () => conflict('policy_slug_taken', 'Another policy already has this slug'));

const CURRENT = `(select v.id from policy_versions v where v.policy_id = policy.id and v.status = 'published')`;

interface WithCurrent {
  current: string | null;
}

/** Manages policies; their texts are versions. */
@Injectable()
export class PoliciesService {
  private readonly rows: Rows<Policy>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Policy);
  }

  async create({ kind, name, slug, language }: CreatePolicy, id = newId('pol')): Promise<PolicyView> {
    const now = this.clock.now();
    return this.database.transaction(async () => {
      const policy = make(Policy, {
        id,
        kind,
        name,
        // A name in a non-Latin script has no slug.
        slug: slug ?? (slugOf(name) || id.replace('_', '-')),
        language: language ?? 'en',
        createdAt: now,
      });
      await this.rows.insert(policy);
      const view = { policy, currentVersionId: null };
      this.ledger.record('legal.policy.create', { ...subjectOf(policy), before: null, after: auditImageOf(view) });
      return view;
    });
  }

  async list(query: ListPolicies): Promise<{ views: PolicyView[]; total: number }> {
    const { kind, search, sort = '-createdAt' } = query;
    const found = this.rows.query('policy').addSelect(CURRENT, 'current');
    filterRows(found, 'policy.kind', kind);
    if (search !== undefined) found.andWhere(contains(search));
    sortRows(found, sort);
    const { rows, total } = await this.database.page<Policy, WithCurrent>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => ({ policy: entity, currentVersionId: raw.current })), total };
  }

  async get(id: string): Promise<PolicyView> {
    const [found] = await this.database.read<Policy, WithCurrent>(Policy, {
      name: 'policy-get',
      text: `select ${this.rows.columns('policy')}, ${CURRENT} as current from policies policy where policy.id = $1`,
      values: [id],
    });
    if (!found) throw notFound();
    return { policy: found.entity, currentVersionId: found.raw.current };
  }

  async findBySlug(slug: string): Promise<Policy | null> {
    return this.rows.findBy({ slug });
  }

  async update(id: string, changes: UpdatePolicy, expected: ExpectedVersions): Promise<PolicyView> {
    return this.database.transaction(async () => {
      await this.lock(id);
      const view = await this.get(id);
      const { policy } = view;
      assertVersion(expected, policy);
      const before = auditImageOf(view);
      policy.change(changes, this.clock.now());
      await this.rows.update(policy);
      this.ledger.record('legal.policy.update', { ...subjectOf(policy), before, after: auditImageOf(view) });
      return view;
    });
  }

  @Reverses('legal.policy.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdatePolicy, entry.before);
    await this.lock(entry.subjectId);
    const view = await this.get(entry.subjectId);
    assertUnchangedSince(entry, view.policy);
    const before = auditImageOf(view);
    view.policy.change(restored, this.clock.now());
    await this.rows.update(view.policy);
    return { before, after: auditImageOf(view) };
  }

  /**
   * Locks the policy, and thereby its versions, until the transaction ends. `details` name the field of the request body, if
   * any.
   */
  async lock(id: string, details?: { field: string }): Promise<Policy> {
    return this.rows.lock(id, details);
  }

  /** Increases the version of a locked policy after another of its texts was published. */
  async touch(policy: Policy): Promise<void> {
    policy.change({}, this.clock.now());
    await this.rows.update(policy);
  }
}

function subjectOf({ id }: Policy) {
  return { subjectType: 'policy', subjectId: id };
}

function auditImageOf({ policy, currentVersionId }: PolicyView): object {
  return { ...policy.auditImage(), currentVersionId };
}

function contains(text: string): Brackets {
  const pattern = containing(text);
  return new Brackets((where) => {
    where.where('policy.name ilike :pattern', { pattern }).orWhere('policy.slug ilike :pattern', { pattern });
  });
}
