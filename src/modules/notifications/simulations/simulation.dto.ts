import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { masked } from '../messages/masked.js';
import { worded } from '../messages/templates.js';
import { channelOf } from '../rules/channel-config.js';
import { RuleWarningResponse } from '../rules/reminder-rule-response.dto.js';
import { type Trigger, TRIGGERS } from '../rules/reminder-trigger.js';
import { warningsOf } from '../rules/rule-warnings.js';
import type { SimulatedReminder, Simulation } from './simulations.service.js';

export class SimulateReminders {
  /** The day by the organization's clocks.
   * @example "2027-05-18" */
  @IsoDate()
  date: string;

  /** At most so many targets; 50 unless given, and fewer where the rule has very many stages.
   * @example 50 */
  @Optional()
  @Whole({ min: 1, max: 100 })
  limit?: number;

  /** `nextAfterTargetId` of the answer before. */
  @Optional()
  @Text({ max: 100 })
  afterTargetId?: string;
}

export class SimulatedReminderResponse {
  /** The installment, invoice or booking that it is about. */
  @Text({ max: 100 })
  targetId: string;

  @Id('book')
  bookingId: string;

  /** The id of its stage. */
  @Id('rstg')
  stage: string;

  /** `unknown` where the rule names no channel that is known. */
  @Text({ max: 50 })
  channel: string;

  @IsoDate()
  anchorDate: string;

  /** When it falls due, before quiet hours and blackout days are spared. */
  @Instant()
  dueAt: string;

  /** When it would leave; null where there is no free moment within 60 days. */
  @Instant()
  runAt: string | null;

  /** Whether a message would leave on the day. */
  @Flag()
  sends: boolean;

  /** Why none would: the reasons of a run (such as `target_closed`, `rule_disabled`, `no_recipient`, `suppressed`); `moved` (it
   * leaves, at `runAt`, on another day), `no_free_moment`, or how its run ended already (`already_sent`, `already_failed`). */
  @Text({ max: 100 })
  reason: string | null;

  /** Masked; null where nothing would be sent. */
  @Text({ max: 260 })
  recipient: string | null;

  @Text({ max: 500 })
  subject: string | null;

  @Text({ max: 20_000, multiline: true })
  text: string | null;

  /** The run that there is for it already. */
  @Id('rrun')
  runId: string | null;
}

export class SimulationResponse {
  @Id('rrul')
  ruleId: string;

  @OneOf(TRIGGERS)
  trigger: Trigger;

  @IsoDate()
  date: string;

  /** Whose clocks the day is of. */
  @Text({ max: 100 })
  timeZone: string;

  /** What of the rule will not be sent on any day. */
  @ListOf(() => RuleWarningResponse, { max: 501 })
  warnings: RuleWarningResponse[];

  /** By target and stage. What a recipient may get on the day is counted from what was sent and from this page alone: neither
   * what other rules will send until then, nor what other pages of the rule foretell. */
  @ListOf(() => SimulatedReminderResponse, { max: 50_000 })
  reminders: SimulatedReminderResponse[];

  /** Where the next page begins; null where this is the last. */
  @Text({ max: 100 })
  nextAfterTargetId: string | null;
}

export function toSimulation(
  { rule, stages, reminders, nextAfterTargetId }: Simulation,
  { date, timeZone, organization }: { date: string; timeZone: string; organization: string },
): SimulationResponse {
  return {
    ruleId: rule.id,
    trigger: rule.trigger,
    date,
    timeZone,
    warnings: warningsOf(rule.trigger, stages),
    reminders: reminders.map((reminder) => toReminder(reminder, organization)),
    nextAfterTargetId,
  };
}

function toReminder(reminder: SimulatedReminder, organization: string): SimulatedReminderResponse {
  const { target, stage, verdict } = reminder;
  const { at, sending, reason } = verdict;
  const words = sending && worded(sending.template, sending.target, organization);
  return {
    targetId: target.targetId,
    bookingId: target.bookingId,
    stage: stage.id,
    channel: channelOf(reminder.config),
    anchorDate: target.anchorDate,
    dueAt: reminder.dueAt.toISOString(),
    runAt: at?.toISOString() ?? null,
    sends: sending !== null,
    reason,
    recipient: sending && masked(sending.recipient),
    subject: words?.subject ?? null,
    text: words?.text ?? null,
    runId: reminder.runId,
  };
}

export class SimulationEnvelope extends dataOf(SimulationResponse) {}
