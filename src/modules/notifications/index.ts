export { ContractLinks } from './deliveries/contract-links.js';
export { DirectMailsService } from './deliveries/direct-mails.service.js';
export { LINK } from './deliveries/link-placeholder.js';
export { OfferLinks } from './deliveries/offer-links.js';
export { DocumentMailsService } from './deliveries/document-mails.service.js';
export { DispatchChoices } from './deliveries/dispatch.dto.js';
export { SendMessage } from './manual-messages/manual-message.dto.js';
export { ManualMessagesService, writtenOf } from './manual-messages/manual-messages.service.js';
export { DocumentFiles, type MessageFile } from './messages/message-files.js';
export { NotificationMessageEnvelope, type NotificationMessageResponse } from './messages/notification-message.dto.js';
export { NotificationsModule } from './notifications.module.js';
export { RemindersService } from './planning/reminders.service.js';
export {
  ListReminderRuns,
  ReminderRunEnvelope,
  ReminderRunList,
  ReminderRunResponse,
} from './runs/reminder-run.dto.js';
export { type BookedService, type BookingFacts, BookingFactsSource } from './targets/booking-facts.js';
export { filled } from './templates/filled-text.js';
export { ReaderLanguagesService } from './targets/reader-languages.service.js';
export {
  type CancellationMoney,
  type ChangedDeparture,
  type DueTarget,
  ReminderSource,
  type ReminderTarget,
  type TargetPage,
} from './targets/reminder-source.js';
export type { LiveTrigger } from './targets/reminder-trigger.js';
export { type SuppressedMail, SuppressionListener } from './suppressions/suppression-listener.js';
export { notificationEvents } from './events.js';
