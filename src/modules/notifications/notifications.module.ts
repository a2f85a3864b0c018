import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { loadDemoReminderRules } from './demo.js';
import { ReminderRulesController } from './rules/reminder-rules.controller.js';
import { ReminderRules } from './rules/reminder-rules.service.js';
import { RuleRows } from './rules/rule-rows.service.js';
import { PlanningBook } from './runs/planning-book.service.js';
import { PlanningJobs } from './runs/planning-jobs.service.js';
import { Planning } from './runs/planning.service.js';
import { ReminderRuns } from './runs/reminder-runs.service.js';
import { ReminderSources } from './runs/reminder-sources.js';
import { Reminders } from './runs/reminders.service.js';
import { RunPlanner } from './runs/run-planner.service.js';
import { RunRows } from './runs/run-rows.service.js';
import { SendingHours } from './timing/sending-hours.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [ReminderRulesController],
  providers: [
    Planning,
    PlanningBook,
    PlanningJobs,
    ReminderRules,
    ReminderRuns,
    Reminders,
    ReminderSources,
    RuleRows,
    RunPlanner,
    RunRows,
    SendingHours,
  ],
  exports: [ReminderRuns, Reminders, ReminderSources],
})
export class NotificationsModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly rules: ReminderRules,
  ) {}

  onModuleInit(): void {
    // Before the bookings (450), so that what is planned for them can be seen.
    this.provisioning.demo(430, 'reminder rules', () => loadDemoReminderRules(this.rules));
  }
}
