import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { NotificationMessage } from '../messages/notification-message.entity.js';
import { SendingHours } from '../timing/sending-hours.js';
import { ReminderSources } from './reminder-sources.js';
import { decide } from './run-decision.js';
import { type ClaimedRun, RunOutcomes } from './run-outcomes.service.js';

/** The highest priority first; what somebody else has in hand is passed over. */
const NEXT = `select run.id, run.target_id as "targetId", run.anchor_date as "anchorDate", run.run_at as "runAt",
    rule.enabled, rule.trigger, rule.suppression_group as "suppressionGroup",
    stage.send_if_late_by_hours as "graceHours", channel.config
  from reminder_runs run
  join reminder_rules rule on rule.id = run.rule_id
  join reminder_stages stage on stage.id = run.stage_id
  join reminder_stage_channels channel on channel.stage_id = run.stage_id and channel.position = run.channel_position
  where run.status = 'queued' and run.run_at <= $1 and run.id <> all($2)
  order by run.priority desc, run.run_at, run.id limit 1 for no key update of run skip locked`;

/**
 * Decides what becomes of the next run. The claim is the lock on its row: its target, what is owed on it and its recipient
 * are read while it is held, and it ends with the mark that the message is being sent. Whoever dies before that mark leaves
 * the run in the queue; who settles the target waits for the lock and either finds the mark, or keeps it from being set.
 */
@Injectable()
export class RunClaims {
  constructor(
    private readonly database: Database,
    private readonly sources: ReminderSources,
    private readonly outcomes: RunOutcomes,
    private readonly window: SendingHours,
    private readonly clock: Clock,
  ) {}

  /** Moves what is due into the queue, and returns how many; several processes may do so at once. */
  async queue(limit: number): Promise<number> {
    const { count } = await this.database.execute(
      `update reminder_runs set status = 'queued', updated_at = $1 where id in (
         select id from reminder_runs where status = 'planned' and run_at <= $1
         order by run_at, id limit $2 for no key update skip locked) and status = 'planned'`,
      [this.clock.now(), limit],
    );
    return count;
  }

  /**
   * The message that is marked for sending; `decided` where nothing is sent for the run, `none` where there is no run.
   * A run whose recipient somebody else has in hand is added to those that are passed over, and stays in the queue.
   */
  async next(passedOver: Set<string>): Promise<NotificationMessage | 'decided' | 'none'> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const [run] = await this.database.query<ClaimedRun>(NEXT, [now, [...passedOver]]);
      if (!run) return 'none';
      const target = (await this.sources.find(run.trigger)?.read(run.trigger, run.targetId)) ?? null;
      const decision = decide({ ...run, target }, { now, window: this.window });
      if (decision.kind !== 'send') {
        await this.outcomes.conclude(run.id, decision);
        return 'decided';
      }
      const marked = await this.outcomes.mark(run, decision);
      if (marked !== 'busy') return marked;
      passedOver.add(run.id);
      return 'decided';
    });
  }
}
