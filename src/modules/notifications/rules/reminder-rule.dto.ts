import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { FreeObjects } from '../../../platform/http/trade-fields.js';
import type { ChannelConfig } from './channel-config.js';
import { type Trigger, TRIGGERS } from './reminder-trigger.js';

/** One step of a new reminder rule. */
export class ComposeStage {
  @Ignored()
  id?: string;

  /**
   * Days from the anchor date, negative before it; 0 by default.
   * @example -7
   */
  @Optional()
  @Whole({ min: -3650, max: 3650 })
  offsetDays?: number;

  /** Place among the stages, unique within the rule; the index in this list by default. */
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

  /** Hours after the planned time during which it is still sent; 24 by default. */
  @Optional()
  @Whole({ min: 0, max: 720 })
  sendIfLateByHours?: number;

  /**
   * Channel settings, stored and returned exactly as sent. Known members are `channel` or `type` (`email` is sent;
   * `sms`, `whatsapp`, `push`, `webhook` and `in_app` are stored and not sent yet), `templateId` or `templateSlug` (by
   * default the template of the trigger, such as `balance-due`) and `recipientKind` (`primary`, `cc` or `bcc`). If a
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
   * What the reminder is about. The anchor date is the due date, the departure date or the day of the event.
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
  /** Only rules with this trigger. */
  @Optional()
  @OneOf(TRIGGERS)
  trigger?: Trigger;

  /** Only enabled (`true`) or only disabled (`false`) rules. */
  @Optional()
  @QueryFlag()
  enabled?: boolean;

  /** Only rules with this text in the name, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Order of the list; `-createdAt` (newest first) by default. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}
