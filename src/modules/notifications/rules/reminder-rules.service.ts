import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { PlanningJobs } from '../runs/planning-jobs.service.js';
import type { ComposeReminderRule, ComposeStage, UpdateReminderRule } from './reminder-rule.dto.js';
import { ReminderRule, type ReminderStage } from './reminder-rule.entity.js';
import { isLive } from './reminder-trigger.js';
import { type RuleInFull, RuleRows } from './rule-rows.service.js';

/** What staff say about when and how to remind. */
@Injectable()
export class ReminderRules {
  constructor(
    private readonly database: Database,
    private readonly rows: RuleRows,
    private readonly planning: PlanningJobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** The rule, its stages and their channels, all or nothing. Throws 400 where two stages have one position. */
  async compose(input: ComposeReminderRule, id = newId('rrul')): Promise<RuleInFull> {
    const stages = input.stages.map((stage, index) => toStage(stage, { ruleId: id, index }));
    assertPositions(stages);
    const now = this.clock.now();
    const rule = make(ReminderRule, {
      id,
      name: input.name,
      trigger: input.trigger,
      enabled: input.enabled ?? true,
      priority: input.priority ?? 0,
      sendTime: input.sendTime ?? '09:00',
      suppressionGroup: input.suppressionGroup ?? null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    return this.database.transaction(async () => {
      await this.rows.insert({ rule, stages, planning: null });
      if (rule.enabled && isLive(rule.trigger)) await this.planning.request(id);
      this.record('compose', rule, { before: null, after: { ...imageOf(rule), stages } });
      return this.rows.get(id);
    });
  }

  /** Throws 404, 412. */
  async update(id: string, changes: UpdateReminderRule, expected: ExpectedVersions): Promise<RuleInFull> {
    return this.database.transaction(async () => {
      const { rule } = await this.rows.lock(id);
      assertVersion(expected, rule);
      const before = imageOf(rule);
      Object.assign(rule, changes, { updatedAt: this.clock.now() });
      await this.database.update(rule);
      this.record('update', rule, { before, after: imageOf(rule) });
      if (before.enabled && !rule.enabled) await this.planning.cancel(id);
      if (!before.enabled && rule.enabled && isLive(rule.trigger)) await this.planning.request(id);
      return this.rows.get(id);
    });
  }

  private record(
    verb: 'compose' | 'update',
    rule: ReminderRule,
    images: { before: object | null; after: object },
  ): void {
    this.ledger.record(`notifications.reminder_rule.${verb}`, {
      subjectType: 'reminder_rule',
      subjectId: rule.id,
      ...images,
    });
  }
}

function toStage(stage: ComposeStage, { ruleId, index }: { ruleId: string; index: number }): ReminderStage {
  return {
    id: newId('rstg'),
    ruleId,
    position: stage.position ?? index,
    name: stage.name ?? null,
    offsetDays: stage.offsetDays ?? 0,
    sendIfLateByHours: stage.sendIfLateByHours ?? 24,
    channels: stage.channels,
  };
}

/** Throws 400 at the second of two stages that have the same position. */
function assertPositions(stages: readonly ReminderStage[]): void {
  const positions = stages.map(({ position }) => position);
  const repeated = positions.findIndex((position, index) => positions.indexOf(position) < index);
  if (repeated === -1) return;
  throw invalidField(`stages.${repeated}.position`, 'Duplicate position of a stage', 'position_taken');
}

function imageOf({ id, name, trigger, enabled, priority, sendTime, suppressionGroup, version }: ReminderRule) {
  return { id, name, trigger, enabled, priority, sendTime, suppressionGroup, version };
}
