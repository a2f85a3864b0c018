import { InvoiceTargets } from './invoice-targets.service.js';
import { MoneyReminders } from './money-reminders.service.js';
import { PaidBookingTargets } from './paid-booking-targets.service.js';
import { ReminderRunsController } from './reminder-runs.controller.js';
import { ScheduleTargets } from './schedule-targets.service.js';

/** What the finance module is given of this folder. */
export const reminderControllers = [ReminderRunsController];
export const reminderProviders = [InvoiceTargets, MoneyReminders, PaidBookingTargets, ScheduleTargets];
