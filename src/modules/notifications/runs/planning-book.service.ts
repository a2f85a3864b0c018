import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock.js';
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

  async lastTargetId(ruleId: string): Promise<string | null> {
    const [row] = await this.database.query<{ lastTargetId: string | null }>(
      'select last_target_id as "lastTargetId" from reminder_plannings where rule_id = $1',
      [ruleId],
    );
    return row?.lastTargetId ?? null;
  }

  async finish(ruleId: string): Promise<void> {
    const [done] = await this.database.query<{ targets: string; runs: string }>(
      'update reminder_plannings set finished_at = $2 where rule_id = $1 returning targets, runs',
      [ruleId, this.clock.now()],
    );
    this.log.info({ ruleId, targets: Number(done?.targets), runs: Number(done?.runs) }, 'reminders planned');
  }
}
