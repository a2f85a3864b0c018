import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { masked } from '../messages/masked.js';
import { dayNumber } from '../timing/run-time.js';
import type { ListReminderRuns, ReminderRunList, ReminderRunResponse } from './reminder-run.dto.js';
import { ReminderRun } from './reminder-run.entity.js';

/** Runs as they are answered. */
@Injectable()
export class ReminderRuns {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** `customerEmail`: who gets mails about the booking, as things stand. */
  async ofBooking(
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
    return {
      data: rows.map(({ entity, raw }) => this.toRun(entity, { ruleName: raw.rule_name, customerEmail })),
      total,
    };
  }

  private toRun(
    run: ReminderRun,
    { ruleName, customerEmail }: { ruleName: string; customerEmail: string | null },
  ): ReminderRunResponse {
    const recipient = run.isOpen() && run.channel === 'email' ? customerEmail : run.recipient;
    return {
      id: run.id,
      bookingId: run.bookingId,
      stage: run.stageId,
      runAt: run.runAt.toISOString(),
      ruleId: run.ruleId,
      ruleName,
      scheduleId: run.scheduleId,
      invoiceId: run.invoiceId,
      channel: run.channel,
      recipient: recipient === null ? null : masked(recipient),
      status: run.status,
      reason: run.reason,
      daysFromAnchor: dayNumber(this.clock.dayOf(run.runAt)) - dayNumber(run.anchorDate),
      attempts: run.attempts,
    };
  }
}
