import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { AnyOf, FormerName, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { withNames } from '../../../platform/http/row-names.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { shownAddress } from '../messages/mask-address.js';
import { type Trigger, TRIGGERS } from '../targets/reminder-trigger.js';
import { dayNumber } from '../timing/run-time.js';
import { type ReminderRun, RUN_STATUSES, type RunStatus } from './reminder-run.entity.js';

/** Filters and paging of the list of reminder runs. */
export class ListReminderRuns extends PageQuery {
  /** Only reminders in one of these statuses. */
  @Optional()
  @AnyOf(RUN_STATUSES)
  status?: RunStatus[];

  /** Only runs of the stage with this ID. */
  @Optional()
  @Text({ max: 100 })
  stage?: string;

  /** Only runs at or after this time. */
  @FormerName('from')
  @Optional()
  @Instant()
  runAfter?: string;

  /** Only runs before this time. */
  @FormerName('to')
  @Optional()
  @Instant()
  runBefore?: string;

  /** Sort field, `-runAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['runAt'])
  sort?: string;
}

/** One reminder of a booking: whether it was sent, will be sent or will not be sent. */
export class ReminderRunResponse {
  @Id('rrun')
  id: string;

  /** The booking that the reminder is about. */
  @Id('book')
  bookingId: string;

  /** ID of the stage of the rule. */
  @Id('rstg')
  stage: string;

  /** Time when it was sent or decided; before that, the planned time. */
  @Instant()
  runAt: string;

  /** The rule that planned the reminder. */
  @Id('rrul')
  ruleId: string;

  /** Current name of the reminder rule that planned the run. */
  @Text({ max: 255 })
  ruleName: string;

  /** The installment that the reminder concerns; null if it concerns an invoice or the booking. */
  @Id('psch')
  scheduleId: string | null;

  /** The invoice that the reminder concerns; null if it concerns something else. */
  @Id('inv')
  invoiceId: string | null;

  /** Channel of the message; `unknown` if the rule names no known channel. */
  @Text({ max: 50 })
  channel: string;

  /**
   * Address of the recipient, masked without the scope `customers:read`. Before sending, the address that would be used now. Null if
   * there is none.
   */
  @Text({ max: 260 })
  recipient: string | null;

  /** State of the reminder. */
  @OneOf(RUN_STATUSES)
  status: RunStatus;

  /**
   * Reason of this status: `target_closed`, `rule_disabled`, `anchor_moved`, `requested` (replaced by a reminder that staff
   * requested), `too_late`, `no_recipient`, `credit_available` (money on account covers it), `template_missing`,
   * `message_too_long`,
   * `channel_not_supported`, `rate_limited`, `suppressed` (another message of its group was sent), `recipient_suppressed`,
   * `hard_bounce` (the mail server rejected the address), `rejected`, `attempts_exhausted`, `outcome_unknown` (it may have been sent
   * and is not sent again by itself) or `recorded_only` (no mail server is configured). Null otherwise.
   */
  @Text({ max: 100 })
  reason: string | null;

  /** Days from the anchor date to `runAt`; negative is before it. */
  @Whole({ min: -100_000, max: 100_000 })
  daysFromAnchor: number;

  /** The number of delivery attempts so far. */
  @Whole({ min: 0, max: 8 })
  attempts: number;
}

/** Filters and paging of the list of the reminders of all bookings. */
export class ListAllReminderRuns extends ListReminderRuns {
  /** Only reminders about this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only reminders about bookings of this customer (prefix `cus`). */
  @Optional()
  @Id('cus')
  customerId?: string;

  /** Only reminders of this rule (prefix `rrul`). */
  @Optional()
  @Id('rrul')
  ruleId?: string;

  /** Only reminders of rules for these events. */
  @Optional()
  @AnyOf(TRIGGERS)
  trigger?: Trigger[];

  /** Only reminders with this reason of their status. */
  @Optional()
  @Text({ max: 100 })
  reason?: string;

  /** Only reminders that were sent to exactly this address; the case does not matter. */
  @Optional()
  @Text({ max: 255 })
  recipient?: string;
}

/** A reminder in the list of all bookings, with names beside its IDs. */
class ReminderRunRow extends withNames(ReminderRunResponse, 'bookingId') {}

export class ReminderRunPage extends pageOf(ReminderRunRow) {}

export class ReminderRunEnvelope extends dataOf(ReminderRunResponse) {}

/** A page of reminder runs. It has only these two members. */
export class ReminderRunList {
  /** The runs of this page. */
  @ListOf(() => ReminderRunResponse, { max: 200 })
  data: ReminderRunResponse[];

  /** The number of runs that match the filters on all pages. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  total: number;
}

/** `runDay` is the local day of `runAt`; `customerEmail` is the address that would receive an open run. */
export function toReminderRun(
  run: ReminderRun,
  { ruleName, runDay, customerEmail }: { ruleName: string; runDay: string; customerEmail: string | null },
): ReminderRunResponse {
  const recipient = run.isOpen() && run.channel === 'email' ? customerEmail : run.recipient;
  return respond(ReminderRunResponse, run, {
    stage: run.stageId,
    ruleName,
    recipient: recipient === null ? null : shownAddress(recipient),
    daysFromAnchor: dayNumber(runDay) - dayNumber(run.anchorDate),
  });
}
