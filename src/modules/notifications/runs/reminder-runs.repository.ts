import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ReminderTarget } from '../targets/reminder-source.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';
import type { ListAllReminderRuns } from './reminder-run.dto.js';
import { ReminderRun, type RunStatus } from './reminder-run.entity.js';

export interface NewRun {
  id: string;
  ruleId: string;
  stageId: string;
  channelPosition: number;
  channel: string;
  priority: number;
  bookingId: string;
  scheduleId: string | null;
  invoiceId: string | null;
  anchorDate: string;
  runAt: Date;
}

/** The progress of planning after a page of targets. */
export interface PlannedPage {
  ruleId: string;
  requestedAt: Date;
  targets: number;
  lastTargetId: string;
}

/** A due run whose row is locked, with the settings of its rule. */
export interface ClaimedRun {
  id: string;
  targetId: string;
  anchorDate: string;
  runAt: Date;
  enabled: boolean;
  trigger: LiveTrigger;
  suppressionGroup: string | null;
  graceHours: number;
  config: Record<string, unknown>;
}

/** A locked run, with its rule. */
export interface RunToRetry {
  run: ReminderRun;
  trigger: LiveTrigger;
  enabled: boolean;
  ruleName: string;
}

/** An existing run, by the members that make it unique within its rule. */
export interface ExistingRun {
  id: string;
  status: RunStatus;
  targetId: string;
  anchorDate: string;
  stageId: string;
  channelPosition: number;
}

/**
 * A cancelled or superseded run is planned again (the date moves back, a payment is reversed), and so is one that was skipped
 * or failed for a reason that no longer holds: an address was added or corrected, a limit has passed, or money of the customer
 * was used for something else. A run that staff replaced by their own reminder stays ended, unless that reminder was not sent.
 * Every other existing run remains, even if its outcome is unknown. Locks the rules: it waits for a rule that is being
 * disabled, and plans no runs for it.
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
      where reminder_runs.status in ('cancelled', 'superseded') and not exists (
          select from reminder_runs own
          where (own.rule_id, own.target_id, own.anchor_date, own.stage_id)
              = (reminder_runs.rule_id, reminder_runs.target_id, reminder_runs.anchor_date, reminder_runs.stage_id)
            and own.requested_at is not null and reminder_runs.reason = 'requested'
            and own.status in ('planned', 'queued', 'sending', 'sent'))
        or reminder_runs.status = 'skipped' and (
          reminder_runs.reason in ('suppressed', 'rate_limited', 'credit_available')
          or reminder_runs.reason = 'recipient_suppressed' and exists (
            select from bookings booking where booking.id = reminder_runs.booking_id
              and booking.customer_email <> reminder_runs.recipient)
          or reminder_runs.reason = 'no_recipient' and exists (
            select from bookings booking where booking.id = reminder_runs.booking_id and booking.customer_email is not null))
        or reminder_runs.status = 'failed' and reminder_runs.reason <> 'outcome_unknown' and exists (
          select from bookings booking where booking.id = reminder_runs.booking_id
            and booking.customer_email <> reminder_runs.recipient)
    returning id
  )`;

/** Also cancels messages of the ended runs that wait for another attempt. */
const CANCEL_MESSAGES = `, withdrawn as (update notification_messages message set status = 'cancelled', updated_at = $1
    from ended where message.run_id = ended.id and message.status = 'queued')`;

/** Takes the highest priority first and skips rows that another transaction has locked. */
const NEXT_DUE = `select run.id, run.target_id as "targetId", run.anchor_date as "anchorDate", run.run_at as "runAt",
    rule.enabled, rule.trigger, rule.suppression_group as "suppressionGroup",
    stage.send_if_late_by_hours as "graceHours", channel.config
  from reminder_runs run
  join reminder_rules rule on rule.id = run.rule_id
  join reminder_stages stage on stage.id = run.stage_id
  join reminder_stage_channels channel on channel.stage_id = run.stage_id and channel.position = run.channel_position
  where run.status = 'queued' and run.run_at <= $1 and run.id <> all($2)
  order by run.priority desc, run.run_at, run.id limit 1 for no key update of run skip locked`;

/** A run in a list; `customerEmail` is the address that would receive it if it is open. */
export interface ListedRun {
  run: ReminderRun;
  ruleName: string;
  customerEmail: string | null;
}

/** Reads and writes runs. */
@Injectable()
export class ReminderRunsRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async list(query: ListAllReminderRuns): Promise<{ rows: ListedRun[]; total: number }> {
    const { bookingId, customerId, ruleId, reason, recipient, stage, runAfter, runBefore } = query;
    const found = this.database
      .repository(ReminderRun)
      .createQueryBuilder('run')
      .innerJoin('reminder_rules', 'rule', 'rule.id = run.rule_id')
      .addSelect('rule.name', 'rule_name')
      .addSelect(
        '(select booking.customer_email from bookings booking where booking.id = run.booking_id)',
        'customer_email',
      );
    if (bookingId !== undefined) found.andWhere('run.bookingId = :bookingId', { bookingId });
    if (customerId !== undefined) {
      const ofCustomer = 'run.bookingId in (select id from bookings where customer_id = :customerId)';
      found.andWhere(ofCustomer, { customerId });
    }
    if (ruleId !== undefined) found.andWhere('run.ruleId = :ruleId', { ruleId });
    filterRows(found, 'rule.trigger', query.trigger);
    filterRows(found, 'run.status', query.status);
    if (reason !== undefined) found.andWhere('run.reason = :reason', { reason });
    if (recipient !== undefined) found.andWhere('lower(run.recipient) = lower(:recipient)', { recipient });
    if (stage !== undefined) found.andWhere('run.stageId = :stage', { stage });
    if (runAfter !== undefined) found.andWhere('run.runAt >= :after', { after: runAfter });
    if (runBefore !== undefined) found.andWhere('run.runAt < :before', { before: runBefore });
    const direction = query.sort === 'runAt' ? 'ASC' : 'DESC';
    found.orderBy('run.runAt', direction).addOrderBy('run.id', direction);
    const { rows, total } = await this.database.page<ReminderRun, { rule_name: string; customer_email: string | null }>(
      found,
      pageBounds(query),
    );
    const listed = rows.map(({ entity: run, raw }) => {
      return { run, ruleName: raw.rule_name, customerEmail: raw.customer_email };
    });
    return { rows: listed, total };
  }

  /** Returns the runs of a rule for these targets, in any status. */
  async ofTargets(ruleId: string, targets: readonly ReminderTarget[]): Promise<ExistingRun[]> {
    return this.database.query<ExistingRun>(
      `select id, status, target_id as "targetId", anchor_date as "anchorDate", stage_id as "stageId",
         channel_position as "channelPosition"
       from reminder_runs where rule_id = $1 and target_id = any($2)`,
      [ruleId, targets.map(({ targetId }) => targetId)],
    );
  }

  /** Returns whether a message of the rule was sent, may have been sent or is being sent. */
  async hasSent(ruleId: string): Promise<boolean> {
    const sent = await this.database.query(
      `select from reminder_runs
       where rule_id = $1 and (status in ('sending', 'sent') or reason = 'outcome_unknown') limit 1`,
      [ruleId],
    );
    return sent.length > 0;
  }

  /** Returns when a run of the booking for this trigger was sent last, if another one is open; null if none is. */
  async waitingSince(bookingId: string, trigger: LiveTrigger): Promise<Date | null> {
    const [open] = await this.database.query<{ since: Date }>(
      `select coalesce(max(run.updated_at) filter (where run.status in ('sending', 'sent') or run.reason = 'outcome_unknown'),
         to_timestamp(0)) as since
       from reminder_runs run join reminder_rules rule on rule.id = run.rule_id
       where run.booking_id = $1 and rule.trigger = $2
       having bool_or(run.status in ('planned', 'queued'))`,
      [bookingId, trigger],
    );
    return open?.since ?? null;
  }

  /** Plans the runs that are not planned yet. */
  async plan(runs: readonly NewRun[]): Promise<void> {
    if (runs.length > 0) await this.database.query(`${PLAN} select from planned`, this.valuesOf(runs));
  }

  /** Plans a run that staff requested for now. It replaces the open runs of the same target and stage. */
  async planRequested(run: NewRun): Promise<ReminderRun> {
    await this.database.query(
      `with ended as (
         update reminder_runs set status = 'superseded', reason = 'requested', run_at = $1, updated_at = $1
         where rule_id = $2 and target_id = $3 and anchor_date = $4 and stage_id = $5 and status in ('planned', 'queued')
         returning id
       )${CANCEL_MESSAGES} select from ended`,
      [run.runAt, run.ruleId, run.scheduleId ?? run.invoiceId ?? run.bookingId, run.anchorDate, run.stageId],
    );
    await this.database.query(
      `insert into reminder_runs (id, rule_id, stage_id, channel_position, channel, priority, booking_id, schedule_id,
         invoice_id, anchor_date, status, run_at, attempts, requested_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'planned', $11, 0, $11, $11, $11)`,
      [
        run.id,
        run.ruleId,
        run.stageId,
        run.channelPosition,
        run.channel,
        run.priority,
        run.bookingId,
        run.scheduleId,
        run.invoiceId,
        run.anchorDate,
        run.runAt,
      ],
    );
    return this.database.repository(ReminderRun).findOneByOrFail({ id: run.id });
  }

  /**
   * Plans like `plan`, and records the progress of the rule's planning in the same statement. Returns false if that planning
   * was cancelled or started again meanwhile.
   */
  async planPage(runs: readonly NewRun[], page: PlannedPage): Promise<boolean> {
    const { ruleId, requestedAt, targets, lastTargetId } = page;
    const recorded = await this.database.query(
      `${PLAN} update reminder_plannings set targets = targets + $13, runs = runs + (select count(*) from planned),
         last_target_id = $14 where rule_id = $15 and requested_at = $16 and finished_at is null returning rule_id`,
      [...this.valuesOf(runs), targets, lastTargetId, ruleId, requestedAt],
    );
    return recorded.length === 1;
  }

  /**
   * Ends the open runs of these bookings and triggers that match none of the targets, because they are settled or on another
   * date.
   */
  async endOutdated(
    targets: readonly ReminderTarget[],
    of: { bookingIds: readonly string[]; triggers: readonly LiveTrigger[] },
  ): Promise<void> {
    await this.database.write({
      name: 'reminder-runs-end-outdated',
      text: `with target as (select * from unnest($4::text[], $5::text[], $6::date[]) as t (trigger, id, anchor_date)),
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
       )${CANCEL_MESSAGES} select from ended`,
      values: [
        this.clock.now(),
        of.bookingIds,
        of.triggers,
        targets.map(({ trigger }) => trigger),
        targets.map(({ targetId }) => targetId),
        targets.map(({ anchorDate }) => anchorDate),
      ],
    });
  }

  /** Cancels up to `limit` open runs of a rule, if the rule is disabled, and returns their number. */
  async cancelOfDisabledRule(ruleId: string, limit: number): Promise<number> {
    const ended = await this.database.query(
      `with ended as (
         update reminder_runs set status = 'cancelled', reason = 'rule_disabled', run_at = $1, updated_at = $1
         where id in (
           select run.id from reminder_runs run join reminder_rules rule on rule.id = run.rule_id and not rule.enabled
           where run.rule_id = $2 and run.status in ('planned', 'queued') order by run.id limit $3 for update of run
         ) and status in ('planned', 'queued') returning id
       )${CANCEL_MESSAGES} select from ended`,
      [this.clock.now(), ruleId, limit],
    );
    return ended.length;
  }

  /** Moves up to `limit` due runs into the queue and returns their number. */
  async queueDue(limit: number): Promise<number> {
    const { count } = await this.database.execute(
      `update reminder_runs set status = 'queued', updated_at = $1 where id in (
         select id from reminder_runs where status = 'planned' and run_at <= $1
         order by run_at, id limit $2 for no key update skip locked) and status = 'planned'`,
      [this.clock.now(), limit],
    );
    return count;
  }

  /** Locks the next due run of the queue, except the skipped ones. */
  async lockNextDue(skipped: ReadonlySet<string>): Promise<ClaimedRun | null> {
    const [run] = await this.database.query<ClaimedRun>(NEXT_DUE, [this.clock.now(), [...skipped]]);
    return run ?? null;
  }

  /** Removes the recipients of up to `limit` runs that ended before this time, and returns their number. */
  async eraseRecipientsOlderThan(months: number, limit: number): Promise<number> {
    const { count } = await this.database.execute(
      `update reminder_runs set recipient = null
       where id in (
         select id from reminder_runs
         where recipient is not null and updated_at < $1::timestamptz - make_interval(months => $2)
           and status not in ('planned', 'queued', 'sending')
         order by updated_at limit $3 for update skip locked)`,
      [this.clock.now(), months, limit],
    );
    return count;
  }

  /** Starts an attempt for a locked run and returns the number of attempts. */
  async startSending(id: string, recipient: string): Promise<number> {
    const [run] = await this.database.query<{ attempts: number }>(
      `update reminder_runs set status = 'sending', recipient = $2, attempts = attempts + 1, run_at = $3, updated_at = $3
       where id = $1 returning attempts`,
      [id, recipient, this.clock.now()],
    );
    if (!run) throw new Error(`The run ${id} does not exist`);
    return run.attempts;
  }

  /** Leaves a locked run in the queue until this time. */
  async postpone(id: string, until: Date): Promise<void> {
    await this.database.execute(
      `update reminder_runs set status = 'queued', reason = null, run_at = $2, updated_at = $3 where id = $1`,
      [id, until, this.clock.now()],
    );
  }

  /** Ends a locked run that is not sent. The recipient is stored if it is the reason. */
  async end(
    id: string,
    { status, reason, recipient }: { status: RunStatus; reason: string; recipient: string | null },
  ): Promise<void> {
    await this.database.execute(
      `update reminder_runs set status = $2, reason = $3, recipient = coalesce($5, recipient), run_at = $4, updated_at = $4
       where id = $1`,
      [id, status, reason, this.clock.now(), recipient],
    );
  }

  /**
   * Plans for now the runs of these bookings that could not be sent to their former address, or for want of one, and are not too
   * late. A run whose mail may have arrived stays ended.
   */
  async replanForAddress(bookingIds: readonly string[]): Promise<void> {
    await this.database.execute(
      `update reminder_runs run set status = 'planned', reason = null, attempts = 0, run_at = $1, updated_at = $1
       from reminder_rules rule, reminder_stages stage, bookings booking
       where rule.id = run.rule_id and rule.enabled and stage.id = run.stage_id and booking.id = run.booking_id
         and run.booking_id = any($2) and booking.customer_email is not null
         and (run.status = 'skipped' and run.reason = 'no_recipient'
           or (run.status = 'skipped' and run.reason = 'recipient_suppressed'
             or run.status = 'failed' and run.reason <> 'outcome_unknown')
           and booking.customer_email is distinct from run.recipient)
         and run.run_at > $1::timestamptz - make_interval(mins => greatest(stage.send_if_late_by_hours * 60, 15))`,
      [this.clock.now(), bookingIds],
    );
  }

  /** Locks a run that staff want to retry. */
  async lockForRetry(id: string): Promise<RunToRetry> {
    const [found] = await this.database.read<
      ReminderRun,
      { trigger: LiveTrigger; enabled: boolean; rule_name: string }
    >(ReminderRun, {
      text: `select ${this.database.columnsOf(ReminderRun, 'run')}, rule.trigger as trigger, rule.enabled as enabled,
            rule.name as rule_name
          from reminder_runs run join reminder_rules rule on rule.id = run.rule_id where run.id = $1 for no key update of run`,
      values: [id],
    });
    if (!found) throw notFound();
    const { trigger, enabled, rule_name: ruleName } = found.raw;
    return { run: found.entity, trigger, enabled, ruleName };
  }

  /** A reminder that staff requested replaces this ended run. */
  async replace(id: string): Promise<void> {
    await this.database.execute(
      `update reminder_runs set status = 'superseded', reason = 'requested', updated_at = $2 where id = $1`,
      [id, this.clock.now()],
    );
  }

  /** Records the outcome of an attempt; null if the run is not being sent. */
  async settle(
    id: string,
    { status, reason, runAt }: { status: RunStatus; reason: string | null; runAt: Date },
  ): Promise<{ bookingId: string; ruleId: string; stageId: string } | null> {
    const [run] = await this.database.query<{ bookingId: string; ruleId: string; stageId: string }>(
      `update reminder_runs set status = $2, reason = $3, run_at = $4, updated_at = $5, sent_on = $6
       where id = $1 and status = 'sending'
       returning booking_id as "bookingId", rule_id as "ruleId", stage_id as "stageId"`,
      [id, status, reason, runAt, this.clock.now(), status === 'sent' ? this.clock.today() : null],
    );
    return run ?? null;
  }

  /** Marks the run of a returned mail as failed, so that it follows a corrected address like other failed runs. */
  async failSent(id: string, reason: string): Promise<void> {
    await this.database.execute(
      `update reminder_runs set status = 'failed', reason = $2, sent_on = null, updated_at = $3
       where id = $1 and status in ('sent', 'failed')`,
      [id, reason, this.clock.now()],
    );
  }

  async isOfDisabledRule(id: string): Promise<boolean> {
    const found = await this.database.query(
      `select from reminder_runs run join reminder_rules rule on rule.id = run.rule_id
       where run.id = $1 and not rule.enabled`,
      [id],
    );
    return found.length > 0;
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
