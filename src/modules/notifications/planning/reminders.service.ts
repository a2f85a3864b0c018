import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import type { RuleWithStages } from '../rules/reminder-rule.entity.js';
import { ReminderRulesRepository } from '../rules/reminder-rules.repository.js';
import {
  type ListAllReminderRuns,
  type ReminderRunList,
  type ReminderRunResponse,
  toReminderRun,
} from '../runs/reminder-run.dto.js';
import { type ExistingRun, type NewRun, ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { findSource, type ReminderSource } from '../targets/reminder-source.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { sendingWindowOf } from '../timing/sending-window.js';
import { planRuns, requestedRun } from './run-plan.js';

/** Plans the reminders of a booking for the modules that own bookings, installments and invoices. */
@Injectable()
export class RemindersService {
  constructor(
    private readonly rules: ReminderRulesRepository,
    private readonly runs: ReminderRunsRepository,
    private readonly suppressions: SuppressionsService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /**
   * Adjusts the reminders of a booking to its targets of these triggers: cancels reminders of settled targets, supersedes
   * reminders with another anchor date, and plans reminders of new targets. Must be called in the transaction of the change,
   * with the booking locked.
   */
  async reschedule(
    bookingId: string,
    triggers: readonly LiveTrigger[],
    enabled?: readonly RuleWithStages[],
  ): Promise<void> {
    const all = enabled ?? (await this.enabledRules(triggers));
    for (const [source, ofSource] of this.bySource(triggers)) {
      const rules = all.filter(({ rule }) => ofSource.some((trigger) => trigger === rule.trigger));
      const targets = rules.length === 0 ? [] : await source.ofBookings([bookingId], ofSource);
      await this.runs.endOutdated(targets, { bookingIds: [bookingId], triggers: ofSource });
      const time = { window: sendingWindowOf(this.env), now: this.clock.now() };
      await this.runs.plan(rules.flatMap((rule) => planRuns(rule, targets, time)));
    }
  }

  /**
   * Returns the instant since which changes of the booking wait for a reminder of this trigger: the last one was sent then, or long
   * ago if none was. Null if no reminder waits.
   */
  async waitingSince(bookingId: string, trigger: LiveTrigger): Promise<Date | null> {
    return this.runs.waitingSince(bookingId, trigger);
  }

  /**
   * Like `reschedule`, for a target that has changed. If a reminder of it was already sent for the same day, plans another one
   * for now.
   */
  async rescheduleChanged(bookingId: string, trigger: LiveTrigger): Promise<void> {
    const rules = await this.enabledRules([trigger]);
    await this.reschedule(bookingId, [trigger], rules);
    const targets = (await findSource(this.listeners, trigger)?.ofBookings([bookingId], [trigger])) ?? [];
    const now = this.clock.now();
    for (const rule of rules) {
      const sent = (await this.runs.ofTargets(rule.rule.id, targets)).filter(({ status }) => status === 'sent');
      const runs = planRuns(rule, targets, { window: sendingWindowOf(this.env), now });
      for (const run of runs.filter((one) => sent.some((other) => isSameRun(one, other)))) {
        await this.runs.planRequested({ ...run, runAt: now });
      }
    }
  }

  /**
   * Prepares `reschedule` for callers that must not read between the lock of a contended row and the commit. While they wait
   * for the lock, a rule that is enabled does not see their targets; the job `notifications.reminders.gaps` plans those
   * reminders at night.
   */
  async enabledRules(triggers: readonly LiveTrigger[]): Promise<RuleWithStages[]> {
    return this.rules.listEnabled(triggers);
  }

  /**
   * Ends reminders whose anchor date is no longer that of their target, and plans none. Use it if a change moves the dates of
   * many bookings without locking them: call it in that transaction, and `reschedule` for each booking later.
   */
  async endOutdated(bookingIds: readonly string[], trigger: LiveTrigger): Promise<void> {
    const source = findSource(this.listeners, trigger);
    if (!source || bookingIds.length === 0) return;
    const targets = await source.ofBookings(bookingIds, [trigger]);
    await this.runs.endOutdated(targets, { bookingIds, triggers: [trigger] });
  }

  /** Plans again what could not be sent to the former address of these bookings. Call it in the transaction of the change. */
  async addressChanged(bookingIds: readonly string[]): Promise<void> {
    if (bookingIds.length > 0) await this.runs.replanForAddress(bookingIds);
  }

  /**
   * Plans a reminder of an open target for now, with the stage of its rule that was due last. The booking must be locked. Throws
   * 409 `recipient_suppressed`.
   */
  async request(
    booking: { id: string; customerEmail: string | null },
    { targetId, triggers }: { targetId: string; triggers: readonly LiveTrigger[] },
  ): Promise<ReminderRunResponse> {
    for (const [source, ofSource] of this.bySource(triggers)) {
      const target = (await source.ofBookings([booking.id], ofSource)).find((open) => open.targetId === targetId);
      if (!target) continue;
      const rules = await this.rules.listEnabled([target.trigger]);
      const [rule] = rules.sort((one, other) => other.rule.priority - one.rule.priority);
      const run = rule && requestedRun(rule, target, { today: this.clock.today(), now: this.clock.now() });
      if (!rule || !run) throw conflict('no_reminder_rule', 'No enabled reminder rule has a mail for this');
      if (booking.customerEmail !== null) await this.suppressions.assertReachable(booking.customerEmail);
      const planned = await this.runs.planRequested(run);
      const runDay = this.clock.dayOf(planned.runAt);
      const { name: ruleName } = rule.rule;
      return toReminderRun(planned, { ruleName, runDay, customerEmail: booking.customerEmail });
    }
    throw conflict('target_closed', 'Nothing is owed for this installment or invoice');
  }

  async listRuns(query: ListAllReminderRuns): Promise<ReminderRunList> {
    const { rows, total } = await this.runs.list(query);
    const data = rows.map(({ run, ...shown }) => toReminderRun(run, { ...shown, runDay: this.clock.dayOf(run.runAt) }));
    return { data, total };
  }

  private bySource(triggers: readonly LiveTrigger[]): Map<ReminderSource, LiveTrigger[]> {
    const grouped = new Map<ReminderSource, LiveTrigger[]>();
    for (const trigger of triggers) {
      const source = findSource(this.listeners, trigger);
      if (source) grouped.set(source, [...(grouped.get(source) ?? []), trigger]);
    }
    return grouped;
  }
}

function isSameRun(planned: NewRun, { anchorDate, stageId, channelPosition }: ExistingRun): boolean {
  return (
    planned.anchorDate === anchorDate && planned.stageId === stageId && planned.channelPosition === channelPosition
  );
}
