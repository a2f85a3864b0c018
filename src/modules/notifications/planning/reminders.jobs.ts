import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import type { RuleWithStages } from '../rules/reminder-rule.entity.js';
import { ReminderRulesRepository } from '../rules/reminder-rules.repository.js';
import { CANCEL_BATCH, PLAN_JOB, ReminderRulesService, WITHDRAW_JOB } from '../rules/reminder-rules.service.js';
import { ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { findSource, type TargetPage } from '../targets/reminder-source.js';
import { isLive } from '../targets/reminder-trigger.js';
import { sendingWindowOf } from '../timing/sending-window.js';
import { planRuns, runsPerTarget } from './run-plan.js';

const MAX_TARGETS = 5_000;
/** The statement timeout is long enough to insert this many rows, so rules with many stages have smaller pages. */
const MAX_RUNS = 30_000;

/** Plans and cancels the reminders of whole rules. */
@Injectable()
export class ReminderJobs {
  constructor(
    private readonly database: Database,
    private readonly rules: ReminderRulesService,
    private readonly repository: ReminderRulesRepository,
    private readonly runs: ReminderRunsRepository,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Plans a rule for all open targets, page by page. A repeated job continues after the last committed page. */
  @Job(PLAN_JOB)
  async plan(payload: unknown): Promise<void> {
    const ruleId = ruleIdOf(payload);
    const details = await this.repository.getDetails(ruleId);
    const planning = await this.repository.findPlanning(ruleId);
    const { trigger, enabled } = details.rule;
    if (!planning || !enabled || !isLive(trigger)) return;
    const { requestedAt, lastTargetId } = planning;
    const limit = Math.min(MAX_TARGETS, Math.max(1, Math.floor(MAX_RUNS / runsPerTarget(details))));
    for (let afterId = lastTargetId; ;) {
      const page = { trigger, afterId, limit, anchorDates: null };
      const last = await this.database.transaction(() => this.planPage(details, page, requestedAt));
      if (last === null) break;
      afterId = last;
    }
    const finished = await this.repository.finishPlanning(ruleId, requestedAt);
    if (finished) this.log.info({ ruleId, ...finished }, 'reminders planned');
  }

  @Job(WITHDRAW_JOB)
  async withdraw(payload: unknown): Promise<void> {
    const ruleId = ruleIdOf(payload);
    const cancel = () => this.database.transaction(() => this.runs.cancelOfDisabledRule(ruleId, CANCEL_BATCH));
    while ((await cancel()) === CANCEL_BATCH);
  }

  /** Plans runs that were missed during an outage, or because a rule and a target were created at the same time. */
  @Cron('notifications.reminders.gaps', '23 2 * * *')
  async planAll(): Promise<void> {
    for (const id of await this.repository.listEnabledIds()) {
      await this.database.transaction(() => this.rules.requestPlanning(id));
    }
  }

  /**
   * Reads with one statement and plans with another. Returns the id after which the next page begins, or null after the last
   * one.
   */
  private async planPage(rule: RuleWithStages, page: TargetPage, requestedAt: Date): Promise<string | null> {
    const targets = (await findSource(this.listeners, page.trigger)?.page(page)) ?? [];
    const last = targets.at(-1);
    if (!last) return null;
    const runs = planRuns(rule, targets, { window: sendingWindowOf(this.env), now: this.clock.now() });
    const progress = { ruleId: rule.rule.id, requestedAt, targets: targets.length, lastTargetId: last.targetId };
    const continues = await this.runs.planPage(runs, progress);
    return continues && targets.length === page.limit ? last.targetId : null;
  }
}

function ruleIdOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'ruleId' in payload) return String(payload.ruleId);
  throw new Error('The payload has no ruleId');
}
