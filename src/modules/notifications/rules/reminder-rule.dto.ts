import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { FreeObjects, Instant } from '../../../platform/http/trade-fields.js';
import { type Trigger, TRIGGERS } from '../targets/reminder-trigger.js';
import type { ChannelConfig } from './channel-config.js';
import type { PlanningProgress, ReminderRule, ReminderRuleDetails, ReminderStage } from './reminder-rule.entity.js';
import { RULE_WARNINGS, type RuleWarning, warningsOf } from './rule-warnings.js';

/** One step of a new reminder rule. */
export class ComposeStage {
  @Ignored()
  id?: string;

  @Ignored()
  ruleId?: string;

  /**
   * Days from the anchor date, negative before it; 0 by default.
   * @example -7
   */
  @Optional()
  @Whole({ min: -3650, max: 3650 })
  offsetDays?: number;

  /** Position among the stages, unique within the rule; the index in this list by default. */
  @Optional()
  @Whole({ min: 0, max: 2_147_483_647 })
  position?: number;

  /**
   * Name for staff.
   * @example "A week before"
   */
  @Clearable()
  @Text({ max: 255 })
  name?: string | null;

  /** Hours after the planned time during which the reminder may still be sent; 24 by default. */
  @Optional()
  @Whole({ min: 0, max: 720 })
  sendIfLateByHours?: number;

  /**
   * Channel settings, stored and returned exactly as sent. Known members are `channel` or `type` (`email` is sent;
   * `sms`, `whatsapp`, `push`, `webhook` and `in_app` are stored and not sent yet), `templateId` or `templateSlug` (the
   * name of a published or built-in template; by default the template of the trigger, such as `balance-due`) and `recipientKind` (`primary`, `cc` or `bcc`). If a
   * channel occurs more than once in a stage, only the first entry is sent.
   * @example [{ "channel": "email", "templateSlug": "balance-due" }]
   */
  @FreeObjects({ min: 1, max: 10, maxBytes: 4096, maxDepth: 5 })
  channels: ChannelConfig[];
}

class RuleFields {
  /**
   * Name for staff.
   * @example "Balance, a week before"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Whether reminders are planned and sent; true by default.
   * @example true
   */
  @Optional()
  @Flag()
  enabled?: boolean;
}

/** A new reminder rule with its stages. */
export class ComposeReminderRule extends RuleFields {
  @Ignored()
  id?: string;

  /**
   * Event that the reminder concerns. The anchor date is the due date, the departure date or the day of the event.
   * @example "balance_due"
   */
  @OneOf(TRIGGERS)
  trigger: Trigger;

  /** If several reminders are due, the highest priority is sent first; 0 by default. */
  @Optional()
  @Whole({ min: 0, max: 1000 })
  priority?: number;

  /**
   * Time of day (`HH:MM`) in the time zone of the organization; 09:00 by default.
   * @example "09:30"
   */
  @Optional()
  @Text({ max: 5, pattern: /^([01][0-9]|2[0-3]):[0-5][0-9]$/ })
  sendTime?: string;

  /** Rules with the same group send a recipient at most one message in 24 hours; not limited by default. */
  @Clearable()
  @Text({ max: 100 })
  suppressionGroup?: string | null;

  /** Steps of the rule, 1 to 50. They cannot be changed later. */
  @ListOf(() => ComposeStage, { min: 1, max: 50 })
  stages: ComposeStage[];
}

/** Changes of a reminder rule; fields that are not sent keep their value. All other settings are fixed. */
export class UpdateReminderRule extends patchOf(RuleFields) {}

/** Filters and paging of the list of reminder rules. */
export class ListReminderRules extends PageQuery {
  /** Only rules with one of these triggers. */
  @Optional()
  @AnyOf(TRIGGERS)
  trigger?: Trigger[];

  /** Only enabled (`true`) or only disabled (`false`) rules. */
  @Optional()
  @QueryFlag()
  enabled?: boolean;

  /** Only rules with this text in the name, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

/** One step of a reminder rule: when it is sent and through which channels. */
export class ReminderStageResponse {
  @Id('rstg')
  id: string;

  /** The rule of the stage. */
  @Id('rrul')
  ruleId: string;

  /** Days from the anchor date; negative is before it. */
  @Whole({ min: -3650, max: 3650 })
  offsetDays: number;

  /** Position among the stages, unique within the rule. */
  @Whole({ min: 0, max: 2_147_483_647 })
  position: number;

  /** Name for staff; null if not set. */
  @Text({ max: 255 })
  name: string | null;

  /** Hours after the planned time during which the reminder may still be sent. */
  @Whole({ min: 0, max: 720 })
  sendIfLateByHours: number;

  /** Channel settings exactly as sent by the client. */
  @FreeObjects({ min: 1, max: 10, maxBytes: 4096, maxDepth: 5 })
  channels: ChannelConfig[];
}

/** A setting of a rule that is stored but not sent as written. */
export class RuleWarningResponse {
  /** Type of the problem. */
  @OneOf(RULE_WARNINGS)
  code: RuleWarning['code'];

  /** Path of the setting in the rule, for example `stages.0.channels.1`. */
  @Text({ max: 200 })
  path: string;

  /** Explanation in English. */
  @Text({ max: 500 })
  message: string;
}

/** Progress of planning reminders for data that existed before the rule was enabled. */
export class PlanningResponse {
  /** Time when planning was requested. */
  @Instant()
  requestedAt: string;

  /** Time when planning ended; null while it runs, or if the rule was disabled before it ended. */
  @Instant()
  finishedAt: string | null;

  /** The number of installments, invoices or bookings examined so far. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  targets: number;

  /** The number of reminders planned so far. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  runs: number;
}

/** A reminder rule as lists return it, without stages. */
export class ReminderRuleSummary {
  @Id('rrul')
  id: string;

  /** Name for staff. */
  @Text({ max: 255 })
  name: string;

  /** Event that the reminder concerns, which determines the anchor date. */
  @OneOf(TRIGGERS)
  trigger: Trigger;

  /** Whether reminders are planned and sent. */
  @Flag()
  enabled: boolean;

  /** If several reminders are due, the highest priority is sent first. */
  @Whole({ min: 0, max: 1000 })
  priority: number;

  /** Time of day (`HH:MM`) in the time zone of the organization. */
  @Text({ max: 5 })
  sendTime: string;

  /** Rules with the same group send a recipient at most one message in 24 hours; null if not limited. */
  @Text({ max: 100 })
  suppressionGroup: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A reminder rule with its stages, warnings and planning progress. */
export class ReminderRuleResponse extends ReminderRuleSummary {
  /** Stages ordered by position. */
  @ListOf(() => ReminderStageResponse, { min: 1, max: 50 })
  stages: ReminderStageResponse[];

  /** Settings that are stored but not sent as written; empty if there are none. */
  @ListOf(() => RuleWarningResponse, { max: 501 })
  warnings: RuleWarningResponse[];

  /** Progress of planning for data that existed before; null if no planning was requested. */
  @Nested(() => PlanningResponse)
  planning: PlanningResponse | null;
}

export function toReminderRuleSummary(rule: ReminderRule): ReminderRuleSummary {
  return respond(ReminderRuleSummary, rule);
}

export function toReminderRule({ rule, stages, planning, templates }: ReminderRuleDetails): ReminderRuleResponse {
  return respond(ReminderRuleResponse, rule, {
    stages: stages.map(toStage),
    warnings: warningsOf(rule.trigger, stages, templates),
    planning: planning && toPlanning(planning),
  });
}

function toStage(stage: ReminderStage): ReminderStageResponse {
  return respond(ReminderStageResponse, stage);
}

function toPlanning({ requestedAt, finishedAt, targets, runs }: PlanningProgress): PlanningResponse {
  return { requestedAt: requestedAt.toISOString(), finishedAt: finishedAt?.toISOString() ?? null, targets, runs };
}

export class ReminderRuleEnvelope extends dataOf(ReminderRuleResponse) {}
export class ReminderRulePage extends pageOf(ReminderRuleSummary) {}
