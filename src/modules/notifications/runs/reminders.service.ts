import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { RuleRows } from '../rules/rule-rows.service.js';
import { SendingHours } from '../timing/sending-hours.js';
import type { ReminderSource } from './reminder-sources.js';
import { planRuns } from './run-plan.js';
import { RunRows } from './run-rows.service.js';

/** The front door for those whose things people are reminded of. */
@Injectable()
export class Reminders {
  constructor(
    private readonly rules: RuleRows,
    private readonly rows: RunRows,
    private readonly window: SendingHours,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets the runs of a booking follow its targets of this source: what is settled is cancelled, what has another date is
   * superseded, what is new is planned. Call it in the transaction of the change, with the booking held.
   */
  async follow(source: ReminderSource, bookingId: string): Promise<void> {
    const { kind, triggers } = source;
    const rules = await this.rules.enabled(triggers);
    const targets = rules.length === 0 ? [] : await source.ofBooking(bookingId);
    await this.rows.endBeside(targets, { bookingId, triggers });
    const now = this.clock.now();
    const runs = rules.flatMap((planned) => {
      const own = targets.filter(({ trigger }) => trigger === planned.rule.trigger);
      return planRuns(planned, own, { kind, window: this.window, now });
    });
    await this.rows.plan(runs);
  }
}
