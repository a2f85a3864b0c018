import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { isLive } from '../targets/reminder-trigger.js';
import {
  type ComposeReminderRule,
  type ComposeStage,
  type ListReminderRules,
  UpdateReminderRule,
} from './reminder-rule.dto.js';
import {
  type PlanningProgress,
  ReminderRule,
  type ReminderRuleDetails,
  type ReminderStage,
} from './reminder-rule.entity.js';
import { ReminderRulesRepository } from './reminder-rules.repository.js';

/** Plans reminders of a rule for all open targets. */
export const PLAN_JOB = 'notifications.reminders.plan';
/** Cancels the remaining reminders of a disabled rule. */
export const WITHDRAW_JOB = 'notifications.reminders.withdraw';
/** Number of reminders that one transaction cancels. */
export const CANCEL_BATCH = 5_000;

/** Manages reminder rules, which determine when customers are reminded of what. */
@Injectable()
export class ReminderRulesService {
  constructor(
    private readonly database: Database,
    private readonly repository: ReminderRulesRepository,
    private readonly runs: ReminderRunsRepository,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async compose(input: ComposeReminderRule, id = newId('rrul')): Promise<ReminderRuleDetails> {
    const stages = input.stages.map((stage, index) => newStage(stage, { ruleId: id, index }));
    assertPositions(stages);
    const now = this.clock.now();
    const rule = make(ReminderRule, {
      id,
      name: input.name,
      trigger: input.trigger,
      enabled: input.enabled ?? true,
      priority: input.priority ?? 0,
      sendTime: input.sendTime ?? '09:00',
      suppressionGroup: input.suppressionGroup,
      createdAt: now,
    });
    return this.database.transaction(async () => {
      await this.repository.insert({ rule, stages });
      const planning = rule.enabled && isLive(rule.trigger) ? await this.requestPlanning(id) : null;
      const after = { ...rule.auditImage(), stages };
      this.ledger.record('notifications.reminder_rule.compose', { ...subjectOf(rule), before: null, after });
      const templates = await this.repository.templatesOf(rule.trigger, stages);
      return { rule, stages: stages.toSorted((a, b) => a.position - b.position), planning, templates };
    });
  }

  async list(query: ListReminderRules): Promise<{ rows: ReminderRule[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<ReminderRuleDetails> {
    return this.repository.getDetails(id);
  }

  async update(id: string, changes: UpdateReminderRule, expected: ExpectedVersions): Promise<ReminderRuleDetails> {
    return this.database.transaction(async () => {
      const rule = await this.repository.rules.lock(id);
      assertVersion(expected, rule);
      const before = rule.auditImage();
      await this.change(rule, changes);
      const after = rule.auditImage();
      this.ledger.record('notifications.reminder_rule.update', { ...subjectOf(rule), before, after });
      return this.repository.getDetails(id);
    });
  }

  /** Restores name and state. A disabled rule that is enabled again plans its reminders again. */
  @Reverses('notifications.reminder_rule.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdateReminderRule, entry.before);
    const rule = await this.repository.rules.lock(entry.subjectId);
    assertUnchangedSince(entry, rule);
    const before = rule.auditImage();
    await this.change(rule, restored);
    return { before, after: rule.auditImage() };
  }

  /** Disables the rule. Partial if a message was sent, may have been sent or is being sent. */
  @Reverses('notifications.reminder_rule.compose', { effect: 'notifications.reminder_rule.update' })
  async reverseComposition({ subjectId: id }: RecordedAction): Promise<ReversalResult> {
    const rule = await this.repository.rules.lock(id);
    if (!rule.enabled) throw conflict('reminder_rule_disabled', 'The rule is already disabled');
    const before = rule.auditImage();
    rule.change({ enabled: false }, this.clock.now());
    await this.repository.rules.update(rule);
    await this.cancelReminders(id);
    // Read after the cancellation, which waits for transactions that start sending a run of the rule.
    const outcome = (await this.runs.hasSent(id)) ? 'partial' : 'full';
    return { before, after: rule.auditImage(), outcome };
  }

  /** Plans reminders for all open targets in the background, after the running transaction is committed. */
  async requestPlanning(id: string): Promise<PlanningProgress> {
    const planning = await this.repository.startPlanning(id);
    await this.jobs.add(PLAN_JOB, { ruleId: id }, { key: `${PLAN_JOB}:${id}` });
    return planning;
  }

  private async change(rule: ReminderRule, changes: UpdateReminderRule): Promise<void> {
    const { id, enabled: wasEnabled } = rule;
    rule.change(changes, this.clock.now());
    await this.repository.rules.update(rule);
    if (wasEnabled && !rule.enabled) await this.cancelReminders(id);
    if (!wasEnabled && rule.enabled && isLive(rule.trigger)) await this.requestPlanning(id);
  }

  /** A job cancels the reminders beyond one batch; none of them is sent meanwhile, because the rule is disabled. */
  private async cancelReminders(id: string): Promise<void> {
    await this.repository.cancelPlanning(id);
    const cancelled = await this.runs.cancelOfDisabledRule(id, CANCEL_BATCH);
    if (cancelled === CANCEL_BATCH) {
      await this.jobs.add(WITHDRAW_JOB, { ruleId: id }, { key: `${WITHDRAW_JOB}:${id}` });
    }
  }
}

function subjectOf({ id }: ReminderRule) {
  return { subjectType: 'reminder_rule', subjectId: id };
}

function newStage(stage: ComposeStage, { ruleId, index }: { ruleId: string; index: number }): ReminderStage {
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

function assertPositions(stages: readonly ReminderStage[]): void {
  const positions = stages.map(({ position }) => position);
  const repeated = positions.findIndex((position, index) => positions.indexOf(position) < index);
  if (repeated === -1) return;
  throw invalidField(`stages.${repeated}.position`, 'Duplicate position of a stage', 'position_taken');
}
