import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { LiveTrigger } from '../rules/reminder-trigger.js';
import type { ReminderTarget } from './reminder-sources.js';
import type { NewRun } from './run-plan.js';

/** How far a planning comes with one page of targets. */
export interface PlannedPage {
  ruleId: string;
  requestedAt: Date;
  targets: number;
  lastTargetId: string;
}

/**
 * A run that was cancelled or superseded is planned again (the date moves back, a payment is reversed); any other one has
 * had its chance. The rules are held: one that is being disabled is waited for, and gets none.
 */
const PLAN = `with planned as (
    insert into reminder_runs (id, rule_id, stage_id, channel_position, channel, priority, booking_id, schedule_id, invoice_id,
      anchor_date, status, run_at, attempts, created_at, updated_at)
    select run.id, run.rule_id, stage_id, channel_position, channel, run.priority, booking_id, schedule_id, invoice_id,
      anchor_date, 'planned', run_at, 0, $12, $12
    from unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::integer[], $7::text[], $8::text[],
        $9::text[], $10::date[], $11::timestamptz[])
      as run (id, rule_id, stage_id, channel_position, channel, priority, booking_id, schedule_id, invoice_id, anchor_date, run_at)
    join (select id from reminder_rules where id = any($2) and enabled order by id for key share) rule on rule.id = run.rule_id
    on conflict on constraint reminder_runs_once do update
      set status = 'planned', reason = null, attempts = 0, run_at = excluded.run_at, updated_at = excluded.updated_at
      where reminder_runs.status in ('cancelled', 'superseded')
    returning id
  )`;

/** What a reminder was withdrawn from is not to be sent either, where an attempt at it had failed. */
const WITHDRAW = `, withdrawn as (update notification_messages message set status = 'cancelled', updated_at = $1
    from ended where message.run_id = ended.id and message.status = 'queued')`;

/** Where runs lie. */
@Injectable()
export class RunRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Plans what is not planned yet, in one statement. */
  async plan(runs: readonly NewRun[]): Promise<void> {
    if (runs.length > 0) await this.database.query(`${PLAN} select from planned`, this.valuesOf(runs));
  }

  /** `plan`, and notes how far it has come in the same statement. False where it was broken off, or begun anew by another. */
  async planPage(runs: readonly NewRun[], page: PlannedPage): Promise<boolean> {
    const { ruleId, requestedAt, targets, lastTargetId } = page;
    const noted = await this.database.query(
      `${PLAN} update reminder_plannings set targets = targets + $13, runs = runs + (select count(*) from planned),
         last_target_id = $14 where rule_id = $15 and requested_at = $16 and finished_at is null returning rule_id`,
      [...this.valuesOf(runs), targets, lastTargetId, ruleId, requestedAt],
    );
    return noted.length === 1;
  }

  /** Ends the open runs of bookings that have no such target any more: it is settled, or has another date. */
  async endBeside(
    targets: readonly ReminderTarget[],
    of: { bookingIds: readonly string[]; triggers: readonly LiveTrigger[] },
  ) {
    await this.database.query(
      `with target as (select * from unnest($4::text[], $5::text[], $6::date[]) as t (trigger, id, anchor_date)),
       ended as (
         update reminder_runs run set run_at = $1, updated_at = $1,
           status = case when exists (select from target where trigger = rule.trigger and id = run.target_id)
             then 'superseded' else 'cancelled' end,
           reason = case when exists (select from target where trigger = rule.trigger and id = run.target_id)
             then 'anchor_moved' else 'target_closed' end
         from reminder_rules rule
         where rule.id = run.rule_id and rule.trigger = any($3) and run.booking_id = any($2)
           and run.status in ('planned', 'queued') and not exists (
             select from target where trigger = rule.trigger and id = run.target_id and anchor_date = run.anchor_date)
         returning run.id
       )${WITHDRAW} select from ended`,
      [
        this.clock.now(),
        of.bookingIds,
        of.triggers,
        targets.map(({ trigger }) => trigger),
        targets.map(({ targetId }) => targetId),
        targets.map(({ anchorDate }) => anchorDate),
      ],
    );
  }

  /** Cancels so many of the open runs of a rule that is disabled, and returns how many there were. */
  async cancelDisabled(ruleId: string, limit: number): Promise<number> {
    const ended = await this.database.query(
      `with ended as (
         update reminder_runs set status = 'cancelled', reason = 'rule_disabled', run_at = $1, updated_at = $1
         where id in (
           select run.id from reminder_runs run join reminder_rules rule on rule.id = run.rule_id and not rule.enabled
           where run.rule_id = $2 and run.status in ('planned', 'queued') order by run.id limit $3 for update of run
         ) and status in ('planned', 'queued') returning id
       )${WITHDRAW} select from ended`,
      [this.clock.now(), ruleId, limit],
    );
    return ended.length;
  }

  private valuesOf(runs: readonly NewRun[]): unknown[] {
    const column = <T>(pick: (run: NewRun) => T): T[] => runs.map(pick);
    return [
      column(({ id }) => id),
      column(({ ruleId }) => ruleId),
      column(({ stageId }) => stageId),
      column(({ channelPosition }) => channelPosition),
      column(({ channel }) => channel),
      column(({ priority }) => priority),
      column(({ bookingId }) => bookingId),
      column(({ scheduleId }) => scheduleId),
      column(({ invoiceId }) => invoiceId),
      column(({ anchorDate }) => anchorDate),
      column(({ runAt }) => runAt),
      this.clock.now(),
    ];
  }
}
