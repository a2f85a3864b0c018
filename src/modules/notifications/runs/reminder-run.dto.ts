import { PageQuery } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { RUN_STATUSES, type RunStatus } from './reminder-run.entity.js';

export class ListReminderRuns extends PageQuery {
  /** Only reminders in this status. */
  @Optional()
  @OneOf(RUN_STATUSES)
  status?: RunStatus;

  /** The id of a stage. */
  @Optional()
  @Text({ max: 100 })
  stage?: string;

  /** Runs from this instant on. */
  @Optional()
  @Instant()
  from?: string;

  /** Runs before this instant. */
  @Optional()
  @Instant()
  to?: string;

  /** `-runAt`, the latest first, unless given. */
  @Optional()
  @SortBy(['runAt'])
  sort?: string;
}

/** One reminder of a booking: whether it was sent, will be sent or will not be sent. */
export class ReminderRunResponse {
  @Id('rrun')
  id: string;

  @Id('book')
  bookingId: string;

  /** The id of its stage. */
  @Id('rstg')
  stage: string;

  /** When it was sent or decided; before that, when it is planned for. */
  @Instant()
  runAt: string;

  @Id('rrul')
  ruleId: string;

  @Text({ max: 255 })
  ruleName: string;

  /** The installment that it is about. */
  @Id('psch')
  scheduleId: string | null;

  /** The invoice that it is about. */
  @Id('inv')
  invoiceId: string | null;

  /** `unknown` where the rule names no channel that is known. */
  @Text({ max: 50 })
  channel: string;

  /** Masked: who got it or was about to; until then, who would get it as things stand. Null where nobody does. */
  @Text({ max: 260 })
  recipient: string | null;

  @OneOf(RUN_STATUSES)
  status: RunStatus;

  /** Why it ended as it did: `target_closed`, `rule_disabled`, `anchor_moved`, `too_late`, `no_recipient`,
   * `template_missing`, `channel_not_supported`, `rate_limited`, `suppressed`, `rejected`, `attempts_exhausted`,
   * `outcome_unknown` (it may have left, and is not sent again), `recorded_only` (there is no mail server). */
  @Text({ max: 100 })
  reason: string | null;

  /** Days from the anchor date to `runAt`, negative before it. */
  @Whole({ min: -100_000, max: 100_000 })
  daysFromAnchor: number;

  @Whole({ min: 0, max: 8 })
  attempts: number;
}

/** Exactly these two members, as the specification shows. */
export class ReminderRunList {
  @ListOf(() => ReminderRunResponse, { max: 200 })
  data: ReminderRunResponse[];

  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  total: number;
}
