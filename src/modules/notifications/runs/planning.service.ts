import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { isLive } from '../rules/reminder-trigger.js';
import { RuleRows } from '../rules/rule-rows.service.js';
import { PlanningBook } from './planning-book.service.js';
import { ReminderSources, type TargetPage } from './reminder-sources.js';
import { type PlannedRule, runsPerTarget } from './run-plan.js';
import { RunPlanner } from './run-planner.service.js';

const TARGETS = 5_000;
/** A rule of many stages has smaller pages: so many rows are inserted in the time that a statement has. */
const RUNS = 30_000;

/** Plans for what was there before a rule. */
@Injectable()
export class Planning {
  constructor(
    private readonly database: Database,
    private readonly rules: RuleRows,
    private readonly planner: RunPlanner,
    private readonly sources: ReminderSources,
    private readonly book: PlanningBook,
  ) {}

  /** A planning whose job was interrupted goes on where it was. */
  async plan(ruleId: string): Promise<void> {
    const planned = await this.rules.get(ruleId);
    const current = await this.book.current(ruleId);
    const { trigger, enabled } = planned.rule;
    if (!current || !enabled || !isLive(trigger)) return;
    const { requestedAt, lastTargetId } = current;
    const limit = Math.min(TARGETS, Math.max(1, Math.floor(RUNS / runsPerTarget(planned))));
    for (let afterId = lastTargetId; ;) {
      const page = { trigger, afterId, limit, anchorDates: null };
      const last = await this.database.transaction(() => this.planPage(planned, page, requestedAt));
      if (last === null) break;
      afterId = last;
    }
    await this.book.finish(ruleId, requestedAt);
  }

  /** One statement reads, another one plans; returns where the next page begins, null where there is none. */
  private async planPage(planned: PlannedRule, page: TargetPage, requestedAt: Date): Promise<string | null> {
    const source = this.sources.find(page.trigger);
    const targets = source ? await source.page(page) : [];
    const last = targets.at(-1);
    if (!source || !last) return null;
    const goesOn = await this.planner.planPage(planned, { kind: source.kind, targets }, { last, requestedAt });
    return goesOn && targets.length === page.limit ? last.targetId : null;
  }
}
