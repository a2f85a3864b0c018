import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import type { Rows } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { LIVE_TRIGGERS, type LiveTrigger, type Trigger } from '../targets/reminder-trigger.js';
import { namedTemplate } from './channel-config.js';
import type { ListReminderRules } from './reminder-rule.dto.js';
import {
  type PlanningProgress,
  ReminderRule,
  type ReminderRuleDetails,
  type ReminderStage,
  type RuleWithStages,
} from './reminder-rule.entity.js';

const STAGES = `select stage.id, stage.rule_id as "ruleId", stage.position, stage.name, stage.offset_days as "offsetDays",
    stage.send_if_late_by_hours as "sendIfLateByHours",
    (select json_agg(channel.config order by channel.position) from reminder_stage_channels channel
     where channel.stage_id = stage.id) as channels
  from reminder_stages stage`;

/** Reads and writes rules, their stages and channels, and the progress of their planning. */
@Injectable()
export class ReminderRulesRepository {
  readonly rules: Rows<ReminderRule>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.rules = database.rows(ReminderRule);
  }

  /** Inserts the rule, its stages and their channels with one statement each. */
  async insert({ rule, stages }: RuleWithStages): Promise<void> {
    await this.rules.insert(rule);
    const column = <T>(pick: (stage: ReminderStage) => T): T[] => stages.map(pick);
    await this.database.write({
      name: 'reminder-stages-insert',
      text: `insert into reminder_stages (id, rule_id, position, name, offset_days, send_if_late_by_hours)
       select stage.id, $1, position, name, offset_days, late
       from unnest($2::text[], $3::integer[], $4::text[], $5::integer[], $6::integer[])
         as stage (id, position, name, offset_days, late)`,
      values: [
        rule.id,
        column(({ id }) => id),
        column(({ position }) => position),
        column(({ name }) => name),
        column(({ offsetDays }) => offsetDays),
        column(({ sendIfLateByHours }) => sendIfLateByHours),
      ],
    });
    const channels = stages.flatMap(({ id, channels: configs }) =>
      configs.map((config, position) => ({ id, position, config: JSON.stringify(config) })),
    );
    await this.database.write({
      name: 'reminder-stage-channels-insert',
      text: `insert into reminder_stage_channels (stage_id, position, config)
       select id, position, config::json from unnest($1::text[], $2::smallint[], $3::text[]) as channel (id, position, config)`,
      values: [
        channels.map(({ id }) => id),
        channels.map(({ position }) => position),
        channels.map(({ config }) => config),
      ],
    });
  }

  async getDetails(id: string): Promise<ReminderRuleDetails> {
    const rule = await this.rules.get(id);
    const stages = await this.database.query<ReminderStage>(
      `${STAGES} where stage.rule_id = $1 order by stage.position`,
      [id],
    );
    const [planning] = await this.database.query<PlanningProgress>(
      `select requested_at as "requestedAt", finished_at as "finishedAt", targets::float8 as targets, runs::float8 as runs
       from reminder_plannings where rule_id = $1`,
      [id],
    );
    return { rule, stages, planning: planning ?? null, templates: await this.templatesOf(rule.trigger, stages) };
  }

  /** Returns the names of published templates for the trigger that the stages name. */
  async templatesOf(trigger: Trigger, stages: readonly ReminderStage[]): Promise<string[]> {
    const named = stages.flatMap(({ channels }) => channels.map(namedTemplate)).filter((name) => name !== null);
    if (named.length === 0) return [];
    const found = await this.database.query<{ slug: string }>(
      `select distinct slug from message_templates where status = 'published' and trigger = $1 and slug = any($2)`,
      [trigger, named],
    );
    return found.map(({ slug }) => slug);
  }

  async list(query: ListReminderRules): Promise<{ rows: ReminderRule[]; total: number }> {
    const { sort = '-createdAt' } = query;
    const found = this.rules.query('rule');
    if (query.search !== undefined) found.andWhere('rule.name ilike :name', { name: containing(query.search) });
    filterRows(found, 'rule.trigger', query.trigger);
    if (query.enabled !== undefined) found.andWhere('rule.enabled = :enabled', { enabled: query.enabled });
    sortRows(found, sort);
    return this.rules.page(found, pageBounds(query));
  }

  /** Returns the enabled rules of these triggers. */
  async listEnabled(triggers: readonly LiveTrigger[]): Promise<RuleWithStages[]> {
    const rules = await this.rules.read({
      text: `select ${this.rules.columns('rule')} from reminder_rules rule
        where rule.enabled and rule.trigger = any($1) order by rule.id`,
      values: [triggers],
    });
    if (rules.length === 0) return [];
    const stages = await this.database.query<ReminderStage>(`${STAGES} where stage.rule_id = any($1)`, [
      rules.map(({ id }) => id),
    ]);
    return rules.map((rule) => ({ rule, stages: stages.filter(({ ruleId }) => ruleId === rule.id) }));
  }

  /** Returns the ids of the enabled rules whose trigger is supported. */
  async listEnabledIds(): Promise<string[]> {
    const rules = await this.database.query<{ id: string }>(
      'select id from reminder_rules where enabled and trigger = any($1) order by id',
      [LIVE_TRIGGERS],
    );
    return rules.map(({ id }) => id);
  }

  /** Starts the planning of a rule at its first target. */
  async startPlanning(ruleId: string): Promise<PlanningProgress> {
    const requestedAt = this.clock.now();
    await this.database.write({
      name: 'reminder-planning-start',
      text: `insert into reminder_plannings (rule_id, requested_at, targets, runs) values ($1, $2, 0, 0)
       on conflict (rule_id) do update
         set requested_at = excluded.requested_at, finished_at = null, targets = 0, runs = 0, last_target_id = null`,
      values: [ruleId, requestedAt],
    });
    return { requestedAt, finishedAt: null, targets: 0, runs: 0 };
  }

  /** Returns the unfinished planning of a rule, with the last target that has its runs; null if there is none. */
  async findPlanning(ruleId: string): Promise<{ requestedAt: Date; lastTargetId: string | null } | null> {
    const [planning] = await this.database.query<{ requestedAt: Date; lastTargetId: string | null }>(
      `select requested_at as "requestedAt", last_target_id as "lastTargetId" from reminder_plannings
       where rule_id = $1 and finished_at is null`,
      [ruleId],
    );
    return planning ?? null;
  }

  async cancelPlanning(ruleId: string): Promise<void> {
    await this.database.query(
      'update reminder_plannings set finished_at = $2 where rule_id = $1 and finished_at is null',
      [ruleId, this.clock.now()],
    );
  }

  /** Returns null if the planning was cancelled or started again meanwhile. */
  async finishPlanning(ruleId: string, requestedAt: Date): Promise<{ targets: number; runs: number } | null> {
    const [finished] = await this.database.query<{ targets: number; runs: number }>(
      `update reminder_plannings set finished_at = $2 where rule_id = $1 and requested_at = $3 and finished_at is null
       returning targets::float8 as targets, runs::float8 as runs`,
      [ruleId, this.clock.now(), requestedAt],
    );
    return finished ?? null;
  }
}
