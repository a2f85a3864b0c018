import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ReminderTarget } from './reminder-sources.js';
import type { RunStatus } from './reminder-run.entity.js';

/** A run that there is, by what makes it the only one of its kind. */
export interface KnownRun {
  id: string;
  status: RunStatus;
  targetId: string;
  anchorDate: string;
  stageId: string;
  channelPosition: number;
}

/** Which runs a rule has had for targets, however they ended. */
@Injectable()
export class RunHistory {
  constructor(private readonly database: Database) {}

  async of(ruleId: string, targets: readonly ReminderTarget[]): Promise<KnownRun[]> {
    return this.database.query<KnownRun>(
      `select id, status, target_id as "targetId", anchor_date as "anchorDate", stage_id as "stageId",
         channel_position as "channelPosition"
       from reminder_runs where rule_id = $1 and target_id = any($2)`,
      [ruleId, targets.map(({ targetId }) => targetId)],
    );
  }
}
