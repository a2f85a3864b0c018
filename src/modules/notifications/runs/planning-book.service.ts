import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { LOG } from '../../../platform/observability/log.js';

/** How far the planning of each rule has come. */
@Injectable()
export class PlanningBook {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** From the first target on. */
  async begin(ruleId: string): Promise<void> {
    await this.database.query(
      `insert into reminder_plannings (rule_id, requested_at, targets, runs) values ($1, $2, 0, 0)
       on conflict (rule_id) do update
         set requested_at = excluded.requested_at, finished_at = null, targets = 0, runs = 0, last_target_id = null`,
      [ruleId, this.clock.now()],
    );
  }

  /** The planning that goes on, and where; null where none does. */
  async current(ruleId: string): Promise<{ requestedAt: Date; lastTargetId: string | null } | null> {
    const [row] = await this.database.query<{ requestedAt: Date; lastTargetId: string | null }>(
      `select requested_at as "requestedAt", last_target_id as "lastTargetId" from reminder_plannings
       where rule_id = $1 and finished_at is null`,
      [ruleId],
    );
    return row ?? null;
  }

  /** There is nothing more to plan: the rule is disabled. */
  async breakOff(ruleId: string): Promise<void> {
    await this.database.query(
      'update reminder_plannings set finished_at = $2 where rule_id = $1 and finished_at is null',
      [ruleId, this.clock.now()],
    );
  }

  /** Unless it was broken off, or begun anew by another. */
  async finish(ruleId: string, requestedAt: Date): Promise<void> {
    const [done] = await this.database.query<{ targets: string; runs: string }>(
      `update reminder_plannings set finished_at = $2 where rule_id = $1 and requested_at = $3 and finished_at is null
       returning targets, runs`,
      [ruleId, this.clock.now(), requestedAt],
    );
    if (!done) return;
    this.log.info({ ruleId, targets: Number(done.targets), runs: Number(done.runs) }, 'reminders planned');
  }
}
