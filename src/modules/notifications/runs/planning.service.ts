import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { isLive } from '../rules/reminder-trigger.js';
import { type RuleInFull, RuleRows } from '../rules/rule-rows.service.js';
import { SendingHours } from '../timing/sending-hours.js';
import { type ReminderSource, ReminderSources } from './reminder-sources.js';
import { planRuns, type PlannedRule, runsPerTarget } from './run-plan.js';
import { RunRows } from './run-rows.service.js';

const PLAN = 'notifications.reminders.plan';
const WITHDRAW = 'notifications.reminders.withdraw';
const TARGETS = 5_000;
/** A rule of many stages has smaller pages: so many rows are inserted in the time that a statement has. */
const RUNS = 30_000;
const BATCH = 5_000;

/** Plans for what was there before a rule, and takes back what was planned when it is disabled. */
@Injectable()
export class Planning implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly rules: RuleRows,
    private readonly rows: RunRows,
    private readonly sources: ReminderSources,
    private readonly window: SendingHours,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.jobs.define(PLAN, (payload) => this.plan(ruleIdOf(payload)));
    this.jobs.define(WITHDRAW, (payload) => this.withdraw(ruleIdOf(payload)));
    this.jobs.schedule('notifications.reminders.gaps', '23 2 * * *', () => this.requestAll());
  }

  /** Has a rule planned for all that is open, once the running transaction is committed. */
  async request(ruleId: string): Promise<void> {
    await this.database.query(
      `insert into reminder_plannings (rule_id, requested_at, targets, runs) values ($1, $2, 0, 0)
       on conflict (rule_id) do update
         set requested_at = excluded.requested_at, finished_at = null, targets = 0, runs = 0, last_target_id = null`,
      [ruleId, this.clock.now()],
    );
    await this.jobs.add(PLAN, { ruleId }, { key: `${PLAN}:${ruleId}` });
  }

  /** Cancels what a disabled rule has planned; of very many the rest a moment later, and none of them is sent. */
  async cancel(ruleId: string): Promise<void> {
    const cancelled = await this.rows.cancelDisabled(ruleId, BATCH);
    if (cancelled === BATCH) await this.jobs.add(WITHDRAW, { ruleId }, { key: `${WITHDRAW}:${ruleId}` });
  }

  /** A page is read in one statement and planned in another; a planning that was broken off goes on where it was. */
  async plan(ruleId: string): Promise<void> {
    const planned = await this.rules.get(ruleId);
    const { trigger, enabled } = planned.rule;
    const source = isLive(trigger) ? this.sources.find(trigger) : null;
    if (!enabled || !source) return;
    const limit = Math.min(TARGETS, Math.max(1, Math.floor(RUNS / runsPerTarget(planned))));
    let lastTargetId = await this.lastTargetId(ruleId);
    for (let page = limit; page === limit;) {
      ({ page, lastTargetId } = await this.planPage({ planned, source, limit, lastTargetId }));
    }
    await this.finish(planned);
  }

  private async planPage(of: {
    planned: PlannedRule;
    source: ReminderSource;
    limit: number;
    lastTargetId: string | null;
  }) {
    const { planned, source, limit, lastTargetId: afterId } = of;
    const { id: ruleId, trigger } = planned.rule;
    return this.database.transaction(async () => {
      const targets = isLive(trigger) ? await source.page({ trigger, afterId, limit, anchorDates: null }) : [];
      const last = targets.at(-1);
      if (!last) return { page: 0, lastTargetId: afterId };
      const runs = planRuns(planned, targets, { kind: source.kind, window: this.window, now: this.clock.now() });
      await this.rows.planPage(runs, { ruleId, targets: targets.length, lastTargetId: last.targetId });
      return { page: targets.length, lastTargetId: last.targetId };
    });
  }

  private async withdraw(ruleId: string): Promise<void> {
    for (let batch = BATCH; batch === BATCH;) {
      batch = await this.database.transaction(() => this.rows.cancelDisabled(ruleId, BATCH));
    }
  }

  /** What nobody planned for, because the service was away or a rule came at the same moment. */
  private async requestAll(): Promise<void> {
    const rules = await this.database.query<{ id: string }>('select id from reminder_rules where enabled order by id');
    for (const { id } of rules) await this.database.transaction(() => this.request(id));
  }

  private async lastTargetId(ruleId: string): Promise<string | null> {
    const [row] = await this.database.query<{ lastTargetId: string | null }>(
      'select last_target_id as "lastTargetId" from reminder_plannings where rule_id = $1',
      [ruleId],
    );
    return row?.lastTargetId ?? null;
  }

  private async finish({ rule }: RuleInFull): Promise<void> {
    const [done] = await this.database.query<{ targets: string; runs: string }>(
      'update reminder_plannings set finished_at = $2 where rule_id = $1 returning targets, runs',
      [rule.id, this.clock.now()],
    );
    this.log.info({ ruleId: rule.id, targets: Number(done?.targets), runs: Number(done?.runs) }, 'reminders planned');
  }
}

function ruleIdOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'ruleId' in payload) return String(payload.ruleId);
  throw new Error('The job names no rule');
}
