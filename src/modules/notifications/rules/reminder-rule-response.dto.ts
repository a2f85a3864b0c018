import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, Nested, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { FreeObjects, Instant } from '../../../platform/http/trade-fields.js';
import type { ChannelConfig } from './channel-config.js';
import type { ReminderRule, ReminderStage } from './reminder-rule.entity.js';
import { type Trigger, TRIGGERS } from './reminder-trigger.js';
import { RULE_WARNINGS, type RuleWarning, warningsOf } from './rule-warnings.js';
import type { PlanningProgress, RuleInFull } from './rule-rows.service.js';

export class ReminderStageResponse {
  @Id('rstg')
  id: string;

  @Id('rrul')
  ruleId: string;

  @Whole({ min: -3650, max: 3650 })
  offsetDays: number;

  @Whole({ min: 0, max: 2_147_483_647 })
  position: number;

  @Text({ max: 255 })
  name: string | null;

  @Whole({ min: 0, max: 720 })
  sendIfLateByHours: number;

  /** As they were sent. */
  @FreeObjects({ min: 1, max: 10, maxBytes: 4096, maxDepth: 5 })
  channels: ChannelConfig[];
}

export class RuleWarningResponse {
  @OneOf(RULE_WARNINGS)
  code: RuleWarning['code'];

  /** The place in the rule. */
  @Text({ max: 200 })
  path: string;

  @Text({ max: 500 })
  message: string;
}

/** How far the planning for what was there before the rule has come. */
export class PlanningResponse {
  @Instant()
  requestedAt: string;

  /** Null while it goes on; also when it ended because the rule was disabled. */
  @Instant()
  finishedAt: string | null;

  /** Targets that were looked at. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  targets: number;

  /** Runs that were planned for them. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  runs: number;
}

export class ReminderRuleSummary {
  @Id('rrul')
  id: string;

  @Text({ max: 255 })
  name: string;

  @OneOf(TRIGGERS)
  trigger: Trigger;

  @Flag()
  enabled: boolean;

  @Whole({ min: 0, max: 1000 })
  priority: number;

  @Text({ max: 5 })
  sendTime: string;

  @Text({ max: 100 })
  suppressionGroup: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ReminderRuleResponse extends ReminderRuleSummary {
  /** By position. */
  @ListOf(() => ReminderStageResponse, { min: 1, max: 50 })
  stages: ReminderStageResponse[];

  /** What of the rule will not be sent as it is written. */
  @ListOf(() => RuleWarningResponse, { max: 501 })
  warnings: RuleWarningResponse[];

  /** Null where nothing was planned for what was there before. */
  @Nested(() => PlanningResponse)
  planning: PlanningResponse | null;
}

export function toRuleSummary(rule: ReminderRule): ReminderRuleSummary {
  return {
    id: rule.id,
    name: rule.name,
    trigger: rule.trigger,
    enabled: rule.enabled,
    priority: rule.priority,
    sendTime: rule.sendTime,
    suppressionGroup: rule.suppressionGroup,
    version: rule.version,
    createdAt: rule.createdAt.toISOString(),
    updatedAt: rule.updatedAt.toISOString(),
  };
}

export function toReminderRule({ rule, stages, planning }: RuleInFull): ReminderRuleResponse {
  return {
    ...toRuleSummary(rule),
    stages: stages.map(toStage),
    warnings: warningsOf(rule.trigger, stages),
    planning: planning && toPlanning(planning),
  };
}

function toStage(stage: ReminderStage): ReminderStageResponse {
  return {
    id: stage.id,
    ruleId: stage.ruleId,
    offsetDays: stage.offsetDays,
    position: stage.position,
    name: stage.name,
    sendIfLateByHours: stage.sendIfLateByHours,
    channels: stage.channels,
  };
}

function toPlanning({ requestedAt, finishedAt, targets, runs }: PlanningProgress): PlanningResponse {
  return { requestedAt: requestedAt.toISOString(), finishedAt: finishedAt?.toISOString() ?? null, targets, runs };
}

export class ReminderRuleEnvelope extends dataOf(ReminderRuleResponse) {}
export class ReminderRulePage extends pageOf(ReminderRuleSummary) {}
