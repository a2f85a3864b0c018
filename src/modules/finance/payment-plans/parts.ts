import { CollectionAdvice } from './collection-advice.service.js';
import { CollectionPlansController } from './collection-plans.controller.js';
import { CollectionPlans } from './collection-plans.service.js';
import { PaymentPlanDemo } from './demo.js';
import { NewPaymentSchedules } from './new-payment-schedules.service.js';
import { OverdueSchedules } from './overdue-schedules.service.js';
import { PaymentPlans } from './payment-plans.service.js';
import { PaymentScheduleReader } from './payment-schedule-reader.service.js';
import { PaymentSchedulesController } from './payment-schedules.controller.js';
import { PaymentSchedules } from './payment-schedules.service.js';
import { PlanBook } from './plan-book.service.js';
import { PlanFollowers } from './plan-followers.service.js';
import { ScheduleInvoices } from './schedule-invoices.js';
import { ScheduleJournal } from './schedule-journal.service.js';
import { ScheduleUndos } from './schedule-undos.service.js';
import { ScheduleSettlement } from './schedule-settlement.js';
import { SettlementFollowers } from './settlement-followers.js';

/** What the finance module is given of this folder, and of the policies from which plans are made. */
export const planControllers = [PaymentSchedulesController, CollectionPlansController];
export const planProviders = [
  PaymentPlans,
  PlanBook,
  PlanFollowers,
  PaymentSchedules,
  NewPaymentSchedules,
  PaymentScheduleReader,
  CollectionPlans,
  CollectionAdvice,
  OverdueSchedules,
  ScheduleInvoices,
  ScheduleJournal,
  ScheduleSettlement,
  ScheduleUndos,
  SettlementFollowers,
  PaymentPlanDemo,
];
