import { BookingDebts } from './booking-debts.service.js';
import { Debts } from './debts.service.js';
import { PaymentDemo } from './demo.js';
import { InstallmentSettlement } from './installment-settlement.service.js';
import { InvoiceSettlement } from './invoice-settlement.service.js';
import { EarlyMoney } from './early-money.service.js';
import { LateInvoices } from './late-invoices.service.js';
import { LatePlans } from './late-plans.service.js';
import { PaymentAllocations } from './payment-allocations.service.js';
import { PaymentChanges } from './payment-changes.service.js';
import { PaymentJournal } from './payment-journal.js';
import { PaymentReader } from './payment-reader.service.js';
import { PaymentRows } from './payment-rows.service.js';
import { PaymentUndos } from './payment-undos.service.js';
import { PaymentsController } from './payments.controller.js';
import { Payments } from './payments.service.js';
import { ScheduleMoney } from './schedule-money.service.js';
import { Settler } from './schedule-settler.service.js';
import { SupplierDebts } from './supplier-debts.service.js';

/** What the finance module is given of this folder. */
export const paymentControllers = [PaymentsController];
export const paymentProviders = [
  Payments,
  PaymentReader,
  PaymentUndos,
  PaymentAllocations,
  PaymentJournal,
  Debts,
  BookingDebts,
  InstallmentSettlement,
  InvoiceSettlement,
  LateInvoices,
  LatePlans,
  EarlyMoney,
  PaymentChanges,
  SupplierDebts,
  PaymentRows,
  ScheduleMoney,
  Settler,
  PaymentDemo,
];
