import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { PoliciesService } from '../policies/policies.service.js';
import { completeRules, type PolicyRule } from './policy-rule.js';
import type {
  CreatePolicyVersion,
  ListedVersion,
  ListPolicyVersions,
  UpdatePolicyVersion,
} from './policy-version.dto.js';
import { PolicyVersion, type VersionView } from './policy-version.entity.js';
import { PolicyVersionsRepository, type VersionPath } from './policy-versions.repository.js';

/** Manages versions of policies. Each change locks the policy, so publications of one policy run one at a time. */
@Injectable()
export class PolicyVersionsService {
  constructor(
    private readonly database: Database,
    private readonly policies: PoliciesService,
    private readonly repository: PolicyVersionsRepository,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(policyId: string, input: CreatePolicyVersion, id = newId('polv')): Promise<VersionView> {
    const rules = completeRules(input.rules ?? []);
    const now = this.clock.now();
    return this.database.transaction(async () => {
      await this.policies.lock(policyId);
      const version = make(PolicyVersion, {
        id,
        policyId,
        number: await this.repository.nextNumber(policyId),
        title: input.title,
        body: input.body ?? '',
        status: 'draft',
        createdAt: now,
      });
      const view = { version, rules };
      await this.repository.insert(view);
      this.record('create', view, null);
      return view;
    });
  }

  async list(policyId: string, query: ListPolicyVersions): Promise<{ versions: ListedVersion[]; total: number }> {
    await this.policies.get(policyId);
    return this.repository.list(policyId, query);
  }

  async get(path: VersionPath): Promise<VersionView> {
    return this.repository.get(path);
  }

  async findPublished(policyId: string): Promise<VersionView | null> {
    return this.repository.findPublished(policyId);
  }

  /** Returns the rules of versions by their ids, including retired ones. */
  async rulesOf(versionIds: readonly string[]): Promise<ReadonlyMap<string, PolicyRule[]>> {
    if (versionIds.length === 0) return new Map();
    return new Map((await this.repository.rulesOf(versionIds)).map(({ id, rules }) => [id, rules]));
  }

  async update(path: VersionPath, body: UpdatePolicyVersion, expected: ExpectedVersions): Promise<VersionView> {
    const { rules: given, ...changes } = body;
    const rules = given && completeRules(given);
    return this.database.transaction(async () => {
      await this.policies.lock(path.policyId);
      const view = await this.repository.get(path);
      const { version } = view;
      assertVersion(expected, version);
      const before = version.auditImage(view.rules);
      version.change(changes, this.clock.now());
      await this.repository.update(version);
      if (rules) {
        view.rules = rules;
        await this.repository.replaceRules(view);
      }
      this.record('update', view, before);
      return view;
    });
  }

  /** Retires the previously published version. */
  async publish(path: VersionPath, expected: ExpectedVersions): Promise<VersionView> {
    return this.database.transaction(async () => {
      const policy = await this.policies.lock(path.policyId);
      const view = await this.repository.get(path);
      const { version, rules } = view;
      assertVersion(expected, version);
      const before = version.auditImage(rules);
      version.publish(rules, this.clock.now());
      // Must precede the update, because a unique index allows one published version per policy.
      const previous = await this.repository.findPublished(path.policyId);
      if (previous) await this.retireLocked(previous);
      await this.repository.update(version);
      this.record('publish', view, before);
      this.publishEvent('published', version);
      await this.policies.touch(policy);
      return view;
    });
  }

  async retire(path: VersionPath, expected: ExpectedVersions): Promise<VersionView> {
    return this.database.transaction(async () => {
      const policy = await this.policies.lock(path.policyId);
      const view = await this.repository.get(path);
      assertVersion(expected, view.version);
      await this.retireLocked(view);
      await this.policies.touch(policy);
      return view;
    });
  }

  private async retireLocked(view: VersionView): Promise<void> {
    const { version, rules } = view;
    const before = version.auditImage(rules);
    version.retire(this.clock.now());
    await this.repository.update(version);
    this.record('retire', view, before);
    this.publishEvent('retired', version);
  }

  private record(
    verb: 'create' | 'update' | 'publish' | 'retire',
    { version, rules }: VersionView,
    before: object | null,
  ) {
    const subject = { subjectType: 'policy_version', subjectId: version.id };
    this.ledger.record(`legal.policy_version.${verb}`, { ...subject, before, after: version.auditImage(rules) });
  }

  private publishEvent(
    status: 'published' | 'retired',
    { id: versionId, policyId, number, sha256 }: PolicyVersion,
  ): void {
    const data = { policyId, versionId, number, sha256 };
    this.outbox.add({ channel: 'legal.policies', event: `policy.${status}`, data });
  }
}
