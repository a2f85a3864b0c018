import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { ReminderRulesRepository } from '../rules/reminder-rules.repository.js';
import { type ListReminderRuns, type ReminderRunList, toReminderRun } from '../runs/reminder-run.dto.js';
import { ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { findSource, type ReminderSource } from '../targets/reminder-source.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';
import { sendingWindowOf } from '../timing/sending-window.js';
import { planRuns } from './run-plan.js';

/** Reminders of a booking, for the modules that own bookings, installments and invoices. */
@Injectable()
export class RemindersService {
  constructor(
    private readonly rules: ReminderRulesRepository,
    private readonly runs: ReminderRunsRepository,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /**
   * Adjusts the reminders of a booking to its targets of these triggers: cancels those of settled targets, supersedes those of
   * another anchor date and plans those of new targets. Call it in the transaction of the change, with the booking locked.
   */
  async reschedule(bookingId: string, triggers: readonly LiveTrigger[]): Promise<void> {
    for (const [source, ofSource] of this.bySource(triggers)) {
      const rules = await this.rules.listEnabled(ofSource);
      const targets = rules.length === 0 ? [] : await source.ofBookings([bookingId], ofSource);
      await this.runs.endOutdated(targets, { bookingIds: [bookingId], triggers: ofSource });
      const time = { window: sendingWindowOf(this.env), now: this.clock.now() };
      await this.runs.plan(rules.flatMap((rule) => planRuns(rule, targets, time)));
    }
  }

  /**
   * Ends reminders whose anchor date is no longer that of their target, and plans none. For a change of the dates of many
   * bookings that are not locked: call it in that transaction, and `reschedule` for each booking later.
   */
  async endOutdated(bookingIds: readonly string[], trigger: LiveTrigger): Promise<void> {
    const source = findSource(this.listeners, trigger);
    if (!source || bookingIds.length === 0) return;
    const targets = await source.ofBookings(bookingIds, [trigger]);
    await this.runs.endOutdated(targets, { bookingIds, triggers: [trigger] });
  }

  /** `customerEmail` is the address to which open reminders would be sent. */
  async listRuns(
    { id, customerEmail }: { id: string; customerEmail: string | null },
    query: ListReminderRuns,
  ): Promise<ReminderRunList> {
    const { rows, total } = await this.runs.listOfBooking(id, query);
    const data = rows.map(({ run, ruleName }) =>
      toReminderRun(run, { ruleName, runDay: this.clock.dayOf(run.runAt), customerEmail }),
    );
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
