import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { LiveTrigger } from '../rules/reminder-trigger.js';
import { RuleRows } from '../rules/rule-rows.service.js';
import { type ListReminderRuns, type ReminderRunList, toReminderRun } from './reminder-run.dto.js';
import { ReminderRun } from './reminder-run.entity.js';
import { type ReminderSource, ReminderSources } from './reminder-sources.js';
import { RunPlanner } from './run-planner.service.js';
import { RunRows } from './run-rows.service.js';

/** Reminders of a booking: what the modules that own bookings, installments and invoices call. */
@Injectable()
export class RemindersService {
  constructor(
    private readonly database: Database,
    private readonly rules: RuleRows,
    private readonly rows: RunRows,
    private readonly planner: RunPlanner,
    private readonly sources: ReminderSources,
    private readonly clock: Clock,
  ) {}

  /**
   * Adjusts the reminders of a booking to its targets of these triggers: cancels those of settled targets, supersedes those of
   * another anchor date and plans those of new targets. Call it in the transaction of the change, with the booking locked.
   */
  async reschedule(bookingId: string, triggers: readonly LiveTrigger[]): Promise<void> {
    const sources = new Set(triggers.map((trigger) => this.sources.find(trigger)));
    for (const source of sources) if (source) await this.rescheduleSource(bookingId, source);
  }

  /**
   * Ends reminders whose anchor date is no longer that of their target, and plans none. For a change of the dates of many
   * bookings that are not locked: call it in that transaction, and `reschedule` for each booking later.
   */
  async endOutdated(bookingIds: readonly string[], trigger: LiveTrigger): Promise<void> {
    const source = this.sources.find(trigger);
    if (!source || bookingIds.length === 0) return;
    await this.rows.endBeside(await source.ofBookings(bookingIds), { bookingIds, triggers: source.triggers });
  }

  /** `customerEmail` is the address to which open reminders would be sent. */
  async listRuns(
    { id: bookingId, customerEmail }: { id: string; customerEmail: string | null },
    query: ListReminderRuns,
  ): Promise<ReminderRunList> {
    const found = this.database
      .repository(ReminderRun)
      .createQueryBuilder('run')
      .addSelect('(select rule.name from reminder_rules rule where rule.id = run.rule_id)', 'rule_name')
      .where('run.bookingId = :bookingId', { bookingId });
    if (query.status !== undefined) found.andWhere('run.status = :status', { status: query.status });
    if (query.stage !== undefined) found.andWhere('run.stageId = :stage', { stage: query.stage });
    if (query.from !== undefined) found.andWhere('run.runAt >= :from', { from: query.from });
    if (query.to !== undefined) found.andWhere('run.runAt < :to', { to: query.to });
    const direction = query.sort === 'runAt' ? 'ASC' : 'DESC';
    found.orderBy('run.runAt', direction).addOrderBy('run.id', direction);
    const { rows, total } = await this.database.page<ReminderRun, { rule_name: string }>(found, pageBounds(query));
    const data = rows.map(({ entity: run, raw }) =>
      toReminderRun(run, { ruleName: raw.rule_name, runDay: this.clock.dayOf(run.runAt), customerEmail }),
    );
    return { data, total };
  }

  private async rescheduleSource(bookingId: string, source: ReminderSource): Promise<void> {
    const { kind, triggers } = source;
    const rules = await this.rules.enabled(triggers);
    const targets = rules.length === 0 ? [] : await source.ofBookings([bookingId]);
    await this.rows.endBeside(targets, { bookingIds: [bookingId], triggers });
    await this.planner.plan(rules, { kind, targets });
  }
}
