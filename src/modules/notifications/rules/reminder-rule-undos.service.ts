import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { Reversals, type Undone } from '../../action-ledger/index.js';
import { PlanningJobs } from '../runs/planning-jobs.service.js';
import { toRuleSummary } from './reminder-rule-response.dto.js';
import { RuleRows } from './rule-rows.service.js';

/** A rule that was composed by mistake reminds nobody any more. What it has sent is with its reader. */
@Injectable()
export class ReminderRuleUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly database: Database,
    private readonly rows: RuleRows,
    private readonly planning: PlanningJobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.reversals.register('notifications.reminder_rule.compose', {
      reverse: ({ subjectId }) => this.disable(subjectId),
    });
  }

  /** Partial where something was sent, may have been, or is just being sent. Throws 404, 409 `reminder_rule_disabled`. */
  private async disable(id: string): Promise<Undone> {
    const { rule } = await this.rows.lock(id);
    if (!rule.enabled) throw conflict('reminder_rule_disabled', 'The rule is already disabled');
    const before = toRuleSummary(rule);
    Object.assign(rule, { enabled: false, updatedAt: this.clock.now() });
    await this.database.update(rule);
    await this.planning.cancel(id);
    // After the cancelling, which waits for whoever is just taking one of its runs.
    const outcome = (await this.hasSent(id)) ? 'partial' : 'full';
    return { before, after: toRuleSummary(rule), outcome };
  }

  private async hasSent(ruleId: string): Promise<boolean> {
    const sent = await this.database.query(
      `select from reminder_runs
       where rule_id = $1 and (status in ('sending', 'sent') or reason = 'outcome_unknown') limit 1`,
      [ruleId],
    );
    return sent.length > 0;
  }
}
