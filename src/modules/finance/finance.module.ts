import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { DistributionModule } from '../distribution/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { FinanceBookingListener } from './finance-booking-listener.js';
import { FinanceDemo } from './finance.demo.js';
import { CommissionsController } from './commissions/commissions.controller.js';
import { CommissionJobs } from './commissions/commissions.jobs.js';
import { CommissionsRepository } from './commissions/commissions.repository.js';
import { CommissionsService } from './commissions/commissions.service.js';
import { invoiceControllers, invoiceProviders } from './invoices/parts.js';
import { NumberSeriesController } from './number-series/number-series.controller.js';
import { NumberSeriesRepository } from './number-series/number-series.repository.js';
import { NumberSeriesService } from './number-series/number-series.service.js';
import { planControllers, planProviders } from './payment-plans/parts.js';
import { PaymentPoliciesController } from './payment-policy/payment-policies.controller.js';
import { PaymentPoliciesService } from './payment-policy/payment-policies.service.js';
import { paymentControllers, paymentProviders } from './payments/parts.js';
import { AgingService } from './reports/aging.service.js';
import { FinanceReportsController } from './reports/finance-reports.controller.js';
import { IntegrityService } from './reports/integrity.service.js';
import { reminderControllers, reminderProviders } from './reminders/parts.js';
import { RenditionsController } from './renditions/renditions.controller.js';
import { RenditionJobs } from './renditions/renditions.jobs.js';
import { RenditionsRepository } from './renditions/renditions.repository.js';
import { RenditionsService } from './renditions/renditions.service.js';
import { SupplierInvoicesController } from './supplier-invoices/supplier-invoices.controller.js';
import { SupplierInvoicesRepository } from './supplier-invoices/supplier-invoices.repository.js';
import { SupplierInvoiceReversals } from './supplier-invoices/supplier-invoices.reversals.js';
import { SupplierInvoicesService } from './supplier-invoices/supplier-invoices.service.js';

@Module({
  imports: [ActionLedgerModule, BookingsModule, DistributionModule, NotificationsModule],
  controllers: [
    SupplierInvoicesController,
    NumberSeriesController,
    ...invoiceControllers,
    RenditionsController,
    PaymentPoliciesController,
    ...planControllers,
    ...paymentControllers,
    FinanceReportsController,
    CommissionsController,
    ...reminderControllers,
  ],
  providers: [
    FinanceBookingListener,
    FinanceDemo,
    SupplierInvoiceReversals,
    SupplierInvoicesRepository,
    SupplierInvoicesService,
    NumberSeriesRepository,
    NumberSeriesService,
    ...invoiceProviders,
    RenditionJobs,
    RenditionsRepository,
    RenditionsService,
    PaymentPoliciesService,
    ...planProviders,
    ...paymentProviders,
    AgingService,
    IntegrityService,
    CommissionJobs,
    CommissionsRepository,
    CommissionsService,
    ...reminderProviders,
  ],
})
export class FinanceModule {}
