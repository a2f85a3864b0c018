import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListReminderRules } from './reminder-rule.dto.js';
import { ReminderRule, type ReminderStage } from './reminder-rule.entity.js';
import type { LiveTrigger } from './reminder-trigger.js';

export interface PlanningProgress {
  requestedAt: Date;
  finishedAt: Date | null;
  targets: number;
  runs: number;
}

export interface RuleInFull {
  rule: ReminderRule;
  /** By position. */
  stages: ReminderStage[];
  planning: PlanningProgress | null;
}

const STAGES = `select stage.id, stage.rule_id as "ruleId", stage.position, stage.name, stage.offset_days as "offsetDays",
    stage.send_if_late_by_hours as "sendIfLateByHours",
    (select json_agg(channel.config order by channel.position) from reminder_stage_channels channel
     where channel.stage_id = stage.id) as channels
  from reminder_stages stage`;

/** Where rules lie, with their stages and channels. */
@Injectable()
export class RuleRows {
  constructor(private readonly database: Database) {}

  /** One statement for the rule, one for its stages and one for their channels. */
  async insert({ rule, stages }: RuleInFull): Promise<void> {
    await this.database.insert(rule);
    const column = <T>(pick: (stage: ReminderStage) => T): T[] => stages.map(pick);
    await this.database.query(
      `insert into reminder_stages (id, rule_id, position, name, offset_days, send_if_late_by_hours)
       select stage.id, $1, position, name, offset_days, late
       from unnest($2::text[], $3::integer[], $4::text[], $5::integer[], $6::integer[])
         as stage (id, position, name, offset_days, late)`,
      [
        rule.id,
        column(({ id }) => id),
        column(({ position }) => position),
        column(({ name }) => name),
        column(({ offsetDays }) => offsetDays),
        column(({ sendIfLateByHours }) => sendIfLateByHours),
      ],
    );
    const channels = stages.flatMap(({ id, channels: configs }) =>
      configs.map((config, position) => ({ id, position, config: JSON.stringify(config) })),
    );
    await this.database.query(
      `insert into reminder_stage_channels (stage_id, position, config)
       select id, position, config::json from unnest($1::text[], $2::smallint[], $3::text[]) as channel (id, position, config)`,
      [channels.map(({ id }) => id), channels.map(({ position }) => position), channels.map(({ config }) => config)],
    );
  }

  /** Throws 404. */
  async get(id: string): Promise<RuleInFull> {
    const rule = await this.database.repository(ReminderRule).findOneBy({ id });
    if (!rule) throw notFound();
    return this.inFull(rule);
  }

  /** Holds the rule until the running transaction ends. Throws 404. */
  async lock(id: string): Promise<RuleInFull> {
    const rule = await this.database.lock(ReminderRule, id);
    if (!rule) throw notFound();
    return this.inFull(rule);
  }

  async list(query: ListReminderRules): Promise<{ rules: ReminderRule[]; total: number }> {
    const { sort = '-createdAt' } = query;
    const found = this.database.repository(ReminderRule).createQueryBuilder('rule');
    if (query.search !== undefined) found.andWhere('rule.name ilike :name', { name: containing(query.search) });
    if (query.trigger !== undefined) found.andWhere('rule.trigger = :trigger', { trigger: query.trigger });
    if (query.enabled !== undefined) found.andWhere('rule.enabled = :enabled', { enabled: query.enabled });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`rule.${sort.replace('-', '')}`, direction).addOrderBy('rule.id', direction);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { rules: rows.map(({ entity }) => entity), total };
  }

  /** The rules of these triggers that are enabled, with their stages. */
  async enabled(triggers: readonly LiveTrigger[]): Promise<Omit<RuleInFull, 'planning'>[]> {
    const rules = await this.database.read(ReminderRule, {
      text: `select ${this.database.columnsOf(ReminderRule, 'rule')} from reminder_rules rule
        where rule.enabled and rule.trigger = any($1) order by rule.id`,
      values: [triggers],
    });
    if (rules.length === 0) return [];
    const stages = await this.database.query<ReminderStage>(`${STAGES} where stage.rule_id = any($1)`, [
      rules.map(({ entity }) => entity.id),
    ]);
    return rules.map(({ entity: rule }) => ({ rule, stages: stages.filter(({ ruleId }) => ruleId === rule.id) }));
  }

  private async inFull(rule: ReminderRule): Promise<RuleInFull> {
    const stages = await this.database.query<ReminderStage>(
      `${STAGES} where stage.rule_id = $1 order by stage.position`,
      [rule.id],
    );
    const [planning] = await this.database.query<PlanningProgress>(
      `select requested_at as "requestedAt", finished_at as "finishedAt", targets::float8 as targets, runs::float8 as runs
       from reminder_plannings where rule_id = $1`,
      [rule.id],
    );
    return { rule, stages, planning: planning ?? null };
  }
}
