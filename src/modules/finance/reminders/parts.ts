import { MoneyReminders } from './money-reminders.service.js';
import { MoneyTargetSources } from './money-targets.service.js';
import { ReminderRunsController } from './reminder-runs.controller.js';

/** What the finance module is given of this folder. */
export const reminderControllers = [ReminderRunsController];
export const reminderProviders = [MoneyReminders, MoneyTargetSources];
