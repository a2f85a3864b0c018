import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LIVE_TRIGGERS } from '../rules/reminder-trigger.js';
import { PlanningBook } from './planning-book.service.js';
import { Planning } from './planning.service.js';
import { RunRows } from './run-rows.service.js';

const PLAN = 'notifications.reminders.plan';
const WITHDRAW = 'notifications.reminders.withdraw';
const BATCH = 5_000;

/** Has rules planned, and what they planned taken back, as they are enabled and disabled. */
@Injectable()
export class PlanningJobs implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly planning: Planning,
    private readonly book: PlanningBook,
    private readonly rows: RunRows,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.define(PLAN, (payload) => this.planning.plan(ruleIdOf(payload)));
    this.jobs.define(WITHDRAW, (payload) => this.withdraw(ruleIdOf(payload)));
    this.jobs.schedule('notifications.reminders.gaps', '23 2 * * *', () => this.requestAll());
  }

  /** Has a rule planned for all that is open, once the running transaction is committed. */
  async request(ruleId: string): Promise<void> {
    await this.book.begin(ruleId);
    await this.jobs.add(PLAN, { ruleId }, { key: `${PLAN}:${ruleId}` });
  }

  /** Breaks the planning of a disabled rule off and cancels what it has planned; of very many the rest a moment later, and none of them is sent. */
  async cancel(ruleId: string): Promise<void> {
    await this.book.breakOff(ruleId);
    const cancelled = await this.rows.cancelDisabled(ruleId, BATCH);
    if (cancelled === BATCH) await this.jobs.add(WITHDRAW, { ruleId }, { key: `${WITHDRAW}:${ruleId}` });
  }

  private async withdraw(ruleId: string): Promise<void> {
    for (let batch = BATCH; batch === BATCH;) {
      batch = await this.database.transaction(() => this.rows.cancelDisabled(ruleId, BATCH));
    }
  }

  /** What nobody planned for, because the service was away or a rule came at the same moment. */
  private async requestAll(): Promise<void> {
    const rules = await this.database.query<{ id: string }>(
      'select id from reminder_rules where enabled and trigger = any($1) order by id',
      [LIVE_TRIGGERS],
    );
    for (const { id } of rules) await this.database.transaction(() => this.request(id));
  }
}

function ruleIdOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'ruleId' in payload) return String(payload.ruleId);
  throw new Error('The job names no rule');
}
