import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { SendingHours } from '../timing/sending-hours.js';
import type { ReminderTarget, TargetKind } from './reminder-sources.js';
import { planRuns, type PlannedRule } from './run-plan.js';
import { RunRows } from './run-rows.service.js';

/** Targets of one kind. */
export interface Targets {
  kind: TargetKind;
  targets: readonly ReminderTarget[];
}

/** Plans runs for targets, by the organization's hours. */
@Injectable()
export class RunPlanner {
  constructor(
    private readonly rows: RunRows,
    private readonly window: SendingHours,
    private readonly clock: Clock,
  ) {}

  /** Each rule's runs for those of the targets that it is about. */
  async plan(rules: readonly PlannedRule[], { kind, targets }: Targets): Promise<void> {
    const around = { kind, window: this.window, now: this.clock.now() };
    const runs = rules.flatMap((planned) => {
      const own = targets.filter(({ trigger }) => trigger === planned.rule.trigger);
      return planRuns(planned, own, around);
    });
    await this.rows.plan(runs);
  }

  /** A page of a rule's targets, the last of which is where the next page begins. False where its planning was broken off. */
  async planPage(
    planned: PlannedRule,
    { kind, targets }: Targets,
    { last, requestedAt }: { last: ReminderTarget; requestedAt: Date },
  ): Promise<boolean> {
    const runs = planRuns(planned, targets, { kind, window: this.window, now: this.clock.now() });
    const page = { ruleId: planned.rule.id, requestedAt, targets: targets.length, lastTargetId: last.targetId };
    return this.rows.planPage(runs, page);
  }
}
