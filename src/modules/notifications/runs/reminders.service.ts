import { Injectable } from '@nestjs/common';
import type { LiveTrigger } from '../rules/reminder-trigger.js';
import { RuleRows } from '../rules/rule-rows.service.js';
import { type ReminderSource, ReminderSources } from './reminder-sources.js';
import { RunPlanner } from './run-planner.service.js';
import { RunRows } from './run-rows.service.js';

/** The front door for those whose things people are reminded of. */
@Injectable()
export class Reminders {
  constructor(
    private readonly rules: RuleRows,
    private readonly rows: RunRows,
    private readonly planner: RunPlanner,
    private readonly sources: ReminderSources,
  ) {}

  /**
   * Lets the runs of a booking follow its targets of these triggers: what is settled is cancelled, what has another date is
   * superseded, what is new is planned. Call it in the transaction of the change, with the booking held.
   */
  async follow(bookingId: string, triggers: readonly LiveTrigger[]): Promise<void> {
    const sources = new Set(triggers.map((trigger) => this.sources.find(trigger)));
    for (const source of sources) if (source) await this.followSource(bookingId, source);
  }

  /**
   * Ends what these bookings are reminded of for a date that is not theirs any more, and plans nothing. For whoever moves the
   * date of many bookings at once and holds none of them: call it in that transaction, and have each one followed later.
   */
  async letGo(bookingIds: readonly string[], trigger: LiveTrigger): Promise<void> {
    const source = this.sources.find(trigger);
    if (!source || bookingIds.length === 0) return;
    await this.rows.endBeside(await source.ofBookings(bookingIds), { bookingIds, triggers: source.triggers });
  }

  private async followSource(bookingId: string, source: ReminderSource): Promise<void> {
    const { kind, triggers } = source;
    const rules = await this.rules.enabled(triggers);
    const targets = rules.length === 0 ? [] : await source.ofBookings([bookingId]);
    await this.rows.endBeside(targets, { bookingIds: [bookingId], triggers });
    await this.planner.plan(rules, { kind, targets });
  }
}
