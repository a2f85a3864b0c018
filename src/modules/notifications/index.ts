export { NotificationsModule } from './notifications.module.js';
export type { LiveTrigger } from './rules/reminder-trigger.js';
export { ListReminderRuns, ReminderRunList } from './runs/reminder-run.dto.js';
export {
  type DueTarget,
  type TargetKind,
  ReminderSource,
  ReminderSources,
  type ReminderTarget,
  type TargetPage,
} from './runs/reminder-sources.js';
export { RemindersService } from './runs/reminders.service.js';
export { notificationEvents } from './events.js';
