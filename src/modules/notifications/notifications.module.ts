import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Env } from '../../platform/config/env.js';
import { LOG } from '../../platform/observability/log.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { DocumentsModule } from '../documents/index.js';
import { IdentityModule } from '../identity/index.js';
import { OrganizationModule } from '../organization/index.js';
import { DirectMailsService } from './deliveries/direct-mails.service.js';
import { DocumentMailsService } from './deliveries/document-mails.service.js';
import { DeliveryJobs } from './deliveries/deliveries.jobs.js';
import { RecordDispatchesController } from './dispatches/record-dispatches.controller.js';
import { RecordDispatchesService } from './dispatches/record-dispatches.service.js';
import { MailSender, RecordingSender } from './deliveries/mail-sender.js';
import { SmtpSender } from './deliveries/smtp-sender.js';
import { MessageData } from './personal-data/message-data.js';
import { MessageRetentionJobs } from './deliveries/message-retention.jobs.js';
import { MessageFiles } from './messages/message-files.js';
import { MailedFilesService } from './messages/mailed-files.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesService } from './messages/messages.service.js';
import { NotificationsDemo } from './notifications.demo.js';
import { ReminderJobs } from './planning/reminders.jobs.js';
import { ReaderLanguagesService } from './targets/reader-languages.service.js';
import { RemindersService } from './planning/reminders.service.js';
import { ReminderRulesController } from './rules/reminder-rules.controller.js';
import { ReminderRulesRepository } from './rules/reminder-rules.repository.js';
import { ReminderRulesService } from './rules/reminder-rules.service.js';
import { ReminderRunsRepository } from './runs/reminder-runs.repository.js';
import { ResendsController } from './resends/resends.controller.js';
import { ResendsService } from './resends/resends.service.js';
import { SimulationsController } from './simulations/simulations.controller.js';
import { SimulationsService } from './simulations/simulations.service.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { SuppressionsService } from './suppressions/suppressions.service.js';
import { ManualMessagesController } from './manual-messages/manual-messages.controller.js';
import { ManualMessagesService } from './manual-messages/manual-messages.service.js';
import { RecordAddresses } from './messages/record-addresses.js';
import { BounceReportsController } from './bounces/bounce-reports.controller.js';
import { BounceReportsService } from './bounces/bounce-reports.service.js';
import { MessageTokens } from './messages/message-tokens.js';
import { UnsubscriptionsController } from './unsubscriptions/unsubscriptions.controller.js';
import { UnsubscriptionsService } from './unsubscriptions/unsubscriptions.service.js';
import { CustomersModule } from '../customers/index.js';
import { ReminderRunsController } from './planning/reminder-runs.controller.js';
import { MailComposer } from './templates/mail-composer.js';
import { MessageTemplatesController } from './templates/message-templates.controller.js';
import { MessageTemplatesService } from './templates/message-templates.service.js';
import './notifications-tables.js';

@Module({
  imports: [ActionLedgerModule, CustomersModule, DocumentsModule, IdentityModule, OrganizationModule],
  controllers: [
    ReminderRulesController,
    SimulationsController,
    MessagesController,
    ReminderRunsController,
    ResendsController,
    SuppressionsController,
    MessageTemplatesController,
    ManualMessagesController,
    BounceReportsController,
    RecordDispatchesController,
    UnsubscriptionsController,
  ],
  providers: [
    DirectMailsService,
    DocumentMailsService,
    MessageFiles,
    DeliveryJobs,
    {
      provide: MailSender,
      inject: [Env, LOG],
      useFactory: ({ smtpUrl, mailTls, dkim, mailFrom, production }: Env, log: Logger) =>
        smtpUrl === null
          ? new RecordingSender(production ? null : log)
          : new SmtpSender({ url: smtpUrl, tls: mailTls, dkim }, mailFrom),
    },
    BounceReportsService,
    MessageTokens,
    UnsubscriptionsService,
    MailComposer,
    MailedFilesService,
    ManualMessagesService,
    ReaderLanguagesService,
    RecordAddresses,
    RecordDispatchesService,
    MessageData,
    MessageRetentionJobs,
    MessageTemplatesService,
    MessagesService,
    NotificationsDemo,
    ReminderJobs,
    ReminderRulesRepository,
    ReminderRulesService,
    ReminderRunsRepository,
    RemindersService,
    ResendsService,
    SimulationsService,
    SuppressionsService,
  ],
  exports: [DirectMailsService, DocumentMailsService, ManualMessagesService, ReaderLanguagesService, RemindersService],
})
export class NotificationsModule {}
