import { Injectable } from '@nestjs/common';
import { Brackets } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { slugOf } from './policy-slug.js';
import { type CreatePolicy, type ListPolicies, toPolicy, type UpdatePolicy } from './policy.dto.js';
import { Policy } from './policy.entity.js';

mapConstraint('policies_slug', () => conflict('policy_slug_taken', 'Another policy already has this slug'));

/** A policy as it is answered. */
export interface PolicyView {
  policy: Policy;
  /** The published version's. */
  currentVersionId: string | null;
}

const CURRENT = `(select v.id from policy_versions v where v.policy_id = policy.id and v.status = 'published')`;

interface WithCurrent {
  current: string | null;
}

@Injectable()
export class Policies {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Throws 409 `policy_slug_taken`. */
  async create({ kind, name, slug, language }: CreatePolicy, id = newId('pol')): Promise<PolicyView> {
    const now = this.clock.now();
    return this.database.transaction(async () => {
      const policy = make(Policy, {
        id,
        kind,
        name,
        // A name in another script makes none.
        slug: slug ?? (slugOf(name) || id.replace('_', '-')),
        language: language ?? 'en',
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      await this.database.insert(policy);
      const view = { policy, currentVersionId: null };
      this.record('create', view, null);
      return view;
    });
  }

  async list(query: ListPolicies): Promise<{ views: PolicyView[]; total: number }> {
    const { kind, search, sort = '-createdAt' } = query;
    const found = this.database.repository(Policy).createQueryBuilder('policy').addSelect(CURRENT, 'current');
    if (kind !== undefined) found.andWhere('policy.kind = :kind', { kind });
    if (search !== undefined) found.andWhere(mentions(search));
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`policy.${sort.replace('-', '')}`, direction).addOrderBy('policy.id', direction);
    const { rows, total } = await this.database.page<Policy, WithCurrent>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => ({ policy: entity, currentVersionId: raw.current })), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<PolicyView> {
    const [found] = await this.database.read<Policy, WithCurrent>(Policy, {
      name: 'policy-get',
      text: `select ${this.database.columnsOf(Policy, 'policy')}, ${CURRENT} as current from policies policy
             where policy.id = $1`,
      values: [id],
    });
    return found ? { policy: found.entity, currentVersionId: found.raw.current } : refuseUnknown();
  }

  /** Throws 404, 409 `policy_slug_taken`, 412. */
  async update(id: string, changes: UpdatePolicy, expected: ExpectedVersions): Promise<PolicyView> {
    return this.database.transaction(async () => {
      await this.lock(id);
      const view = await this.get(id);
      assertVersion(expected, view.policy);
      const before = toPolicy(view);
      await this.touch(Object.assign(view.policy, changes));
      this.record('update', view, before);
      return view;
    });
  }

  /**
   * Holds the policy, and with it its versions, until the running transaction ends. Throws 404; `details` are those of a
   * policy that a body names.
   */
  async lock(id: string, details?: { field: string }): Promise<Policy> {
    return (await this.database.lock(Policy, id)) ?? refuseUnknown(details);
  }

  /** It has changed, if only in which of its versions is published. Of one that `lock` holds. */
  async touch(policy: Policy): Promise<void> {
    await this.database.update(Object.assign(policy, { updatedAt: this.clock.now() }));
  }

  private record(verb: 'create' | 'update', view: PolicyView, before: object | null): void {
    const subject = { subjectType: 'policy', subjectId: view.policy.id };
    this.ledger.record(`legal.policy.${verb}`, { ...subject, before, after: toPolicy(view) });
  }
}

function mentions(text: string): Brackets {
  const pattern = containing(text);
  return new Brackets((where) => {
    where.where('policy.name ilike :pattern', { pattern }).orWhere('policy.slug ilike :pattern', { pattern });
  });
}

function refuseUnknown(details?: { field: string }): never {
  throw notFound(details);
}
