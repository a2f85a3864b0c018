import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { shownAddress } from '../messages/mask-address.js';
import { channelOf } from '../rules/channel-config.js';
import { RuleWarningResponse } from '../rules/reminder-rule.dto.js';
import { warningsOf } from '../rules/rule-warnings.js';
import { type Trigger, TRIGGERS } from '../targets/reminder-trigger.js';
import type { SimulatedReminder, Simulation } from './simulations.service.js';

/** The day and the page for which a rule is simulated. */
export class SimulateReminders {
  /**
   * Calendar day in the time zone of the organization.
   * @example "2027-05-18"
   */
  @IsoDate()
  date: string;

  /**
   * Maximum number of targets per page; 50 by default. Rules with many stages use smaller pages.
   * @example 50
   */
  @Optional()
  @Whole({ min: 1, max: 100 })
  limit?: number;

  /** `nextAfterTargetId` of the previous response; the first page by default. */
  @Optional()
  @Text({ max: 100 })
  afterTargetId?: string;
}

/** A reminder that the rule would send or skip on the day. */
export class SimulatedReminderResponse {
  /** ID of the installment, invoice or booking that the reminder concerns. */
  @Text({ max: 100 })
  targetId: string;

  /** The booking that the reminder concerns. */
  @Id('book')
  bookingId: string;

  /** ID of the stage of the rule. */
  @Id('rstg')
  stage: string;

  /** Channel of the message; `unknown` if the rule names no known channel. */
  @Text({ max: 50 })
  channel: string;

  /** Due date, departure date or day of the event from which the offset is counted. */
  @IsoDate()
  anchorDate: string;

  /** Time according to the rule, before quiet hours and blackout days are applied. */
  @Instant()
  dueAt: string;

  /** Time at which it would be sent; null if there is no allowed time within 60 days. */
  @Instant()
  runAt: string | null;

  /** Whether a message would be sent on the day. */
  @Flag()
  sends: boolean;

  /**
   * Reason why none would be sent: the reason of a run (such as `target_closed`, `rule_disabled`, `no_recipient`,
   * `recipient_suppressed` or `suppressed`), `moved` (it is sent on another day, at `runAt`), `no_free_moment`, or the outcome of an existing run
   * (`already_sent`, `already_failed`). Null if a message would be sent.
   */
  @Text({ max: 100 })
  reason: string | null;

  /** Address of the recipient, masked without the scope `customers:read`; null if nothing would be sent. */
  @Text({ max: 260 })
  recipient: string | null;

  /** Subject line of the message; null if nothing would be sent. */
  @Text({ max: 500 })
  subject: string | null;

  /** Plain text of the message; null if nothing would be sent. */
  @Text({ max: 20_000, multiline: true })
  text: string | null;

  /** The existing run for this reminder; null if none is planned yet. */
  @Id('rrun')
  runId: string | null;
}

/** The reminders that a rule would send or skip on a day. */
export class SimulationResponse {
  /** The simulated rule. */
  @Id('rrul')
  ruleId: string;

  /** Event that the reminders concern. */
  @OneOf(TRIGGERS)
  trigger: Trigger;

  /** Simulated calendar day. */
  @IsoDate()
  date: string;

  /** IANA time zone of the organization, to which the day refers. */
  @Text({ max: 100 })
  timeZone: string;

  /** Settings of the rule that are not sent as written on any day. */
  @ListOf(() => RuleWarningResponse, { max: 501 })
  warnings: RuleWarningResponse[];

  /**
   * Reminders ordered by target and stage. Limits per recipient take into account sent messages and this page only, not
   * other rules or other pages.
   */
  @ListOf(() => SimulatedReminderResponse, { max: 50_000 })
  reminders: SimulatedReminderResponse[];

  /** Value of `afterTargetId` for the next page; null on the last page. */
  @Text({ max: 100 })
  nextAfterTargetId: string | null;
}

export function toSimulation(
  { rule, stages, templates, reminders, nextAfterTargetId }: Simulation,
  { date, timeZone }: { date: string; timeZone: string },
): SimulationResponse {
  return {
    ruleId: rule.id,
    trigger: rule.trigger,
    date,
    timeZone,
    warnings: warningsOf(rule.trigger, stages, templates),
    reminders: reminders.map(toReminder),
    nextAfterTargetId,
  };
}

function toReminder(reminder: SimulatedReminder): SimulatedReminderResponse {
  const { target, stage, outcome, mail } = reminder;
  const { at, sending, reason } = outcome;
  return respond(SimulatedReminderResponse, target, {
    stage: stage.id,
    channel: channelOf(reminder.config),
    dueAt: reminder.dueAt.toISOString(),
    runAt: at?.toISOString() ?? null,
    sends: sending !== null,
    reason,
    recipient: sending && shownAddress(sending.recipient),
    subject: mail?.subject ?? null,
    text: mail?.text ?? null,
    runId: reminder.runId,
  });
}

export class SimulationEnvelope extends dataOf(SimulationResponse) {}
