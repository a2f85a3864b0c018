import { MoneyReminderSource } from './money-reminder-source.js';
import { MoneyReminders } from './money-reminders.service.js';
import { ReminderRunsController } from './reminder-runs.controller.js';

/** What the finance module is given of this folder. */
export const reminderControllers = [ReminderRunsController];
export const reminderProviders = [MoneyReminders, MoneyReminderSource];
