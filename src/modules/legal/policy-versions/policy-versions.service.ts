import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Policies } from '../policies/policies.service.js';
import { completeRules } from './policy-rule.js';
import type { CreatePolicyVersion, ListPolicyVersions, UpdatePolicyVersion } from './policy-version.dto.js';
import { PolicyVersion } from './policy-version.entity.js';
import { imageOfVersion, PolicyVersionJournal } from './policy-version-journal.js';
import {
  type ListedVersion,
  PolicyVersionRows,
  type VersionPlace,
  type VersionView,
} from './policy-version-rows.service.js';

/** The drafts of a policy's text, and all versions there are. */
@Injectable()
export class PolicyVersions {
  constructor(
    private readonly database: Database,
    private readonly policies: Policies,
    private readonly rows: PolicyVersionRows,
    private readonly journal: PolicyVersionJournal,
    private readonly clock: Clock,
  ) {}

  /** The next draft. Throws 400 for rules that contradict themselves, 404. */
  async create(policyId: string, input: CreatePolicyVersion, id = newId('polv')): Promise<VersionView> {
    const rules = completeRules(input.rules ?? []);
    const now = this.clock.now();
    return this.database.transaction(async () => {
      await this.policies.lock(policyId);
      const version = make(PolicyVersion, {
        id,
        policyId,
        number: await this.rows.nextNumber(policyId),
        title: input.title,
        body: input.body ?? '',
        status: 'draft',
        sha256: null,
        publishedAt: null,
        retiredAt: null,
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      const view = { version, rules };
      await this.rows.insert(view);
      this.journal.record('create', view, null);
      return view;
    });
  }

  /** Throws 404. */
  async list(policyId: string, query: ListPolicyVersions): Promise<{ versions: ListedVersion[]; total: number }> {
    await this.policies.get(policyId);
    return this.rows.list(policyId, query);
  }

  /** Throws 404. */
  async get(place: VersionPlace): Promise<VersionView> {
    return this.rows.get(place);
  }

  /** Throws 400, 404, 409 `policy_version_immutable`, 412. */
  async update(place: VersionPlace, body: UpdatePolicyVersion, expected: ExpectedVersions): Promise<VersionView> {
    const { rules: given, ...changes } = body;
    const rules = given && completeRules(given);
    return this.database.transaction(async () => {
      await this.policies.lock(place.policyId);
      const old = await this.rows.get(place);
      assertVersion(expected, old.version);
      const before = imageOfVersion(old);
      old.version.change(changes, this.clock.now());
      const view = { version: old.version, rules: rules ?? old.rules };
      await this.rows.update(view.version);
      if (rules) await this.rows.replaceRules(view);
      this.journal.record('update', view, before);
      return view;
    });
  }
}
