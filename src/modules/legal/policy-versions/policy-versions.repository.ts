import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import type { PolicyRule } from './policy-rule.js';
import { LISTED_COLUMNS, type ListedVersion, type ListPolicyVersions } from './policy-version.dto.js';
import { PolicyVersion, type VersionView } from './policy-version.entity.js';

/** The path of a version, which is found only under its own policy. */
export interface VersionPath {
  policyId: string;
  versionId: string;
}

/** Selects the rules of the version `policy_version` as JSON. */
const RULES = `(select coalesce(json_agg(json_build_object(
    'position', rule.position, 'type', rule.type, 'daysBeforeDeparture', rule.days_before_departure,
    'refundBasisPoints', rule.refund_basis_points, 'refundType', rule.refund_type,
    'flatAmountCents', rule.flat_amount_cents, 'currency', rule.currency,
    'validFrom', rule.valid_from, 'validTo', rule.valid_to) order by rule.position), '[]')
  from policy_rules rule where rule.version_id = policy_version.id)`;

/** Reads and writes versions and their rules. A transaction that writes them must lock their policy. */
@Injectable()
export class PolicyVersionsRepository {
  private readonly versions: Rows<PolicyVersion>;

  constructor(private readonly database: Database) {
    this.versions = database.rows(PolicyVersion);
  }

  async get({ policyId, versionId }: VersionPath): Promise<VersionView> {
    const [found] = await this.read('policy-version-get', 'policy_version.id = $1 and policy_version.policy_id = $2', [
      versionId,
      policyId,
    ]);
    if (!found) throw notFound();
    return found;
  }

  async findPublished(policyId: string): Promise<VersionView | null> {
    const condition = `policy_version.policy_id = $1 and policy_version.status = 'published'`;
    const [found] = await this.read('policy-version-published', condition, [policyId]);
    return found ?? null;
  }

  /** Returns the rules of these versions, sorted by version and position. */
  async rulesOf(versionIds: readonly string[]): Promise<{ id: string; rules: PolicyRule[] }[]> {
    return this.database.prepared(
      'policy-versions-rules',
      `select policy_version.id, ${RULES} as rules from policy_versions policy_version where policy_version.id = any($1)`,
      [versionIds],
    );
  }

  /** Lists the newest first, without texts and rules, which may be large. */
  async list(policyId: string, query: ListPolicyVersions): Promise<{ versions: ListedVersion[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const found = this.versions.query('version');
    found
      .select(LISTED_COLUMNS.map((column) => `version.${column}`))
      .where('version.policyId = :policyId', { policyId });
    filterRows(found, 'version.status', query.status);
    sortRows(found, query.sort ?? '-number');
    const [versions, total] = await found.limit(limit).offset(offset).getManyAndCount();
    return { versions, total };
  }

  async nextNumber(policyId: string): Promise<number> {
    const [row] = await this.database.query<{ next: number }>(
      'select coalesce(max(number), 0) + 1 as next from policy_versions where policy_id = $1',
      [policyId],
    );
    return row?.next ?? 1;
  }

  async insert({ version, rules }: VersionView): Promise<void> {
    await this.versions.insert(version);
    await this.insertRules(version.id, rules);
  }

  async update(version: PolicyVersion): Promise<void> {
    await this.versions.update(version);
  }

  async replaceRules({ version, rules }: VersionView): Promise<void> {
    await this.database.execute('delete from policy_rules where version_id = $1', [version.id]);
    await this.insertRules(version.id, rules);
  }

  private async insertRules(versionId: string, rules: readonly PolicyRule[]): Promise<void> {
    if (rules.length === 0) return;
    await this.database.execute(
      `insert into policy_rules (version_id, position, type, days_before_departure, refund_basis_points, refund_type,
         flat_amount_cents, currency, valid_from, valid_to)
       select $1, "position", type, "daysBeforeDeparture", "refundBasisPoints", "refundType", "flatAmountCents", currency,
         "validFrom", "validTo"
       from json_to_recordset($2) as r ("position" integer, type text, "daysBeforeDeparture" integer,
         "refundBasisPoints" integer, "refundType" text, "flatAmountCents" bigint, currency text, "validFrom" date,
         "validTo" date)`,
      [versionId, JSON.stringify(rules)],
    );
  }

  private async read(name: string, condition: string, values: unknown[]): Promise<VersionView[]> {
    const columns = this.versions.columns('policy_version');
    const text = `select ${columns}, ${RULES} as rules from policy_versions policy_version where ${condition}`;
    const found = await this.database.read<PolicyVersion, { rules: PolicyRule[] }>(PolicyVersion, {
      name,
      text,
      values,
    });
    return found.map(({ entity, raw }) => ({ version: entity, rules: raw.rules }));
  }
}
