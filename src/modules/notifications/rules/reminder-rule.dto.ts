import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { FreeObjects } from '../../../platform/http/trade-fields.js';
import type { ChannelConfig } from './channel-config.js';
import { type Trigger, TRIGGERS } from './reminder-trigger.js';

export class ComposeStage {
  @Ignored()
  id?: string;

  /** Days from the anchor date, negative before it; 0 unless given.
   * @example -7 */
  @Optional()
  @Whole({ min: -3650, max: 3650 })
  offsetDays?: number;

  /** Unique within the rule; the place in this list unless given. Stages are answered in this order. */
  @Optional()
  @Whole({ min: 0, max: 2_147_483_647 })
  position?: number;

  /** @example "A week before" */
  @Clearable()
  @Text({ max: 255 })
  name?: string | null;

  /** How late it may still be sent, in hours; 24 unless given. */
  @Optional()
  @Whole({ min: 0, max: 720 })
  sendIfLateByHours?: number;

  /** Free-form and answered as sent. Understood are `channel` or `type` (email; sms, whatsapp, push, webhook and in_app
   * are accepted and not sent yet), `templateId` or `templateSlug` (the trigger's own unless given, such as
   * `balance-due`) and `recipientKind` (primary, cc, bcc). Of one channel a stage sends the first entry alone.
   * @example [{ "channel": "email", "templateSlug": "balance-due" }] */
  @FreeObjects({ min: 1, max: 10, maxBytes: 4096, maxDepth: 5 })
  channels: ChannelConfig[];
}

class RuleFields {
  /** @example "Balance, a week before" */
  @Text({ max: 255 })
  name: string;

  /** Whether runs are planned and sent; true unless given.
   * @example true */
  @Optional()
  @Flag()
  enabled?: boolean;
}

export class ComposeReminderRule extends RuleFields {
  @Ignored()
  id?: string;

  /** What it reminds of. The anchor is the due date, the departure date, or the day of the event.
   * @example "balance_due" */
  @OneOf(TRIGGERS)
  trigger: Trigger;

  /** Of what is to be sent, the highest leaves first; 0 unless given. */
  @Optional()
  @Whole({ min: 0, max: 1000 })
  priority?: number;

  /** `HH:MM` in the organization's time zone; 09:00 unless given.
   * @example "09:30" */
  @Optional()
  @Text({ max: 5, pattern: /^([01][0-9]|2[0-3]):[0-5][0-9]$/ })
  sendTime?: string;

  /** Of all rules of one group, a recipient gets one message in 24 hours. */
  @Clearable()
  @Text({ max: 100 })
  suppressionGroup?: string | null;

  @ListOf(() => ComposeStage, { min: 1, max: 50 })
  stages: ComposeStage[];
}

export class UpdateReminderRule extends patchOf(RuleFields) {}

export class ListReminderRules extends PageQuery {
  @Optional()
  @OneOf(TRIGGERS)
  trigger?: Trigger;

  @Optional()
  @QueryFlag()
  enabled?: boolean;

  /** Part of the name, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** `-createdAt`, newest first, unless given. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}
