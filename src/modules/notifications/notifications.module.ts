import { Module, type OnModuleInit } from '@nestjs/common';
import { Env } from '../../platform/config/env.js';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { loadDemoReminderRules } from './demo.js';
import { ContractMails } from './messages/contract-mails.service.js';
import { Deliveries } from './messages/deliveries.service.js';
import { DeliveryJournal } from './messages/delivery-journal.js';
import { MailSender, RecordingSender } from './messages/mail-sender.js';
import { MessagesController } from './messages/messages.controller.js';
import { Messages } from './messages/messages.service.js';
import { SmtpSender } from './messages/smtp-sender.js';
import { ReminderRuleUndos } from './rules/reminder-rule-undos.service.js';
import { ReminderRulesController } from './rules/reminder-rules.controller.js';
import { ReminderRules } from './rules/reminder-rules.service.js';
import { RuleRows } from './rules/rule-rows.service.js';
import { PlanningBook } from './runs/planning-book.service.js';
import { PlanningJobs } from './runs/planning-jobs.service.js';
import { Planning } from './runs/planning.service.js';
import { RecipientLimits } from './runs/recipient-limits.service.js';
import { ReminderSources } from './runs/reminder-sources.js';
import { RemindersService } from './runs/reminders.service.js';
import { RunClaims } from './runs/run-claims.service.js';
import { RunHistory } from './runs/run-history.service.js';
import { RunOutcomes } from './runs/run-outcomes.service.js';
import { RunPlanner } from './runs/run-planner.service.js';
import { RunRows } from './runs/run-rows.service.js';
import { Sending } from './runs/sending.service.js';
import { Foresight } from './simulations/foresight.service.js';
import { SimulationsController } from './simulations/simulations.controller.js';
import { Simulations } from './simulations/simulations.service.js';
import { SendingHours } from './timing/sending-hours.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [ReminderRulesController, SimulationsController, MessagesController],
  providers: [
    ContractMails,
    Deliveries,
    DeliveryJournal,
    Foresight,
    Messages,
    {
      provide: MailSender,
      inject: [Env],
      useFactory: ({ smtpUrl, mailFrom }: Env) =>
        smtpUrl === null ? new RecordingSender() : new SmtpSender(smtpUrl, mailFrom),
    },
    Planning,
    PlanningBook,
    PlanningJobs,
    RecipientLimits,
    ReminderRules,
    ReminderRuleUndos,
    RemindersService,
    ReminderSources,
    RuleRows,
    RunClaims,
    RunHistory,
    RunOutcomes,
    RunPlanner,
    RunRows,
    Sending,
    SendingHours,
    Simulations,
  ],
  exports: [RemindersService, ReminderSources],
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
