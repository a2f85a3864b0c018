import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { DistributionModule } from '../distribution/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { OrganizationModule } from '../organization/index.js';
import { AccountAuditService } from './booking-account/account-audit.service.js';
import { AllocationsService } from './booking-account/allocations.service.js';
import { BookingAccountsRepository } from './booking-account/booking-accounts.repository.js';
import { BookingAccountsService } from './booking-account/booking-accounts.service.js';
import { BookingMoneyController } from './booking-money/booking-money.controller.js';
import { BookingMoneyService } from './booking-money/booking-money.service.js';
import { CreditDueService } from './booking-money/credit-due.service.js';
import { PastAccountsRepository } from './booking-money/past-accounts.repository.js';
import { AllCommissionsController, CommissionsController } from './commissions/commissions.controller.js';
import { CommissionJobs } from './commissions/commissions.jobs.js';
import { CommissionsRepository } from './commissions/commissions.repository.js';
import { CommissionsService } from './commissions/commissions.service.js';
import { CustomerMoneyService } from './booking-account/customer-money.service.js';
import { CreditNoteContentsService } from './credit-notes/credit-note-contents.service.js';
import { CreditNotesController } from './credit-notes/credit-notes.controller.js';
import { CreditNotesRepository } from './credit-notes/credit-notes.repository.js';
import { CreditNotesService } from './credit-notes/credit-notes.service.js';
import { ExchangeRatesController } from './exchange-rates/exchange-rates.controller.js';
import { ExchangeRatesService } from './exchange-rates/exchange-rates.service.js';
import { FinanceBookingListener } from './finance-booking-listener.js';
import { FinanceDemo } from './finance.demo.js';
import { InvoicesController } from './invoices/invoices.controller.js';
import { InvoiceSourcesService } from './invoices/invoice-sources.service.js';
import { InvoicesRepository } from './invoices/invoices.repository.js';
import { IssuerCopiesRepository } from './invoices/issuer-copies.repository.js';
import { InvoicesService } from './invoices/invoices.service.js';
import { IssuingService } from './invoices/issuing.service.js';
import { NumberSeriesController } from './number-series/number-series.controller.js';
import { NumberSeriesRepository } from './number-series/number-series.repository.js';
import { NumberSeriesService } from './number-series/number-series.service.js';
import { CollectionPlansController } from './payment-plans/collection-plans.controller.js';
import { CollectionPlansService } from './payment-plans/collection-plans.service.js';
import { PaymentPlanJobs } from './payment-plans/payment-plans.jobs.js';
import { PaymentPlansService } from './payment-plans/payment-plans.service.js';
import { PaymentSchedulesController } from './payment-plans/payment-schedules.controller.js';
import { PaymentPoliciesController } from './payment-policy/payment-policies.controller.js';
import { PaymentPoliciesService } from './payment-policy/payment-policies.service.js';
import { CommissionPayoutsController } from './payments/commission-payouts.controller.js';
import { CommissionPayoutsService } from './payments/commission-payouts.service.js';
import { PaymentDaysService } from './payments/payment-days.service.js';
import { PaymentsController } from './payments/payments.controller.js';
import { PaymentsService } from './payments/payments.service.js';
import { PeriodClosingService } from './periods/period-closing.service.js';
import { PeriodsController } from './periods/periods.controller.js';
import { PeriodsService } from './periods/periods.service.js';
import { RefundsController } from './refunds/refunds.controller.js';
import { RefundsService } from './refunds/refunds.service.js';
import { TransfersController } from './refunds/transfers.controller.js';
import { TransfersService } from './refunds/transfers.service.js';
import { ReminderRequestsService } from './reminders/reminder-requests.service.js';
import { FinanceReminderSource } from './reminders/finance-reminder-source.js';
import { ReminderRunsController } from './reminders/reminder-runs.controller.js';
import { AgingService } from './reports/aging.service.js';
import { FinanceReportsController } from './reports/finance-reports.controller.js';
import { ReportsController } from './reports/reports.controller.js';
import { ReportsService } from './reports/reports.service.js';
import { IntegrityService } from './reports/integrity.service.js';
import { RenditionsController } from './renditions/renditions.controller.js';
import { RenditionJobs } from './renditions/renditions.jobs.js';
import { RenditionsRepository } from './renditions/renditions.repository.js';
import { RenditionsService } from './renditions/renditions.service.js';
import { FinanceSettingsController } from './settings/finance-settings.controller.js';
import { FinanceSettingsService } from './settings/finance-settings.service.js';
import { FeeInvoicesService } from './settlements/fee-invoices.service.js';
import { SettlementsController } from './settlements/settlements.controller.js';
import { SettlementsService } from './settlements/settlements.service.js';
import { SupplierInvoicesController } from './supplier-invoices/supplier-invoices.controller.js';
import { SupplierInvoicesRepository } from './supplier-invoices/supplier-invoices.repository.js';
import { BilledTaxesService } from './tax-allocation/billed-taxes.service.js';
import { TaxesModule } from '../taxes/index.js';
import { SupplierInvoicesService } from './supplier-invoices/supplier-invoices.service.js';
import './finance-tables.js';

@Module({
  imports: [
    ActionLedgerModule,
    BookingsModule,
    DistributionModule,
    NotificationsModule,
    OrganizationModule,
    TaxesModule,
  ],
  controllers: [
    SupplierInvoicesController,
    NumberSeriesController,
    InvoicesController,
    CreditNotesController,
    RenditionsController,
    PaymentPoliciesController,
    PaymentSchedulesController,
    CollectionPlansController,
    PaymentsController,
    BookingMoneyController,
    RefundsController,
    TransfersController,
    FinanceReportsController,
    PeriodsController,
    ReportsController,
    AllCommissionsController,
    CommissionsController,
    CommissionPayoutsController,
    ReminderRunsController,
    SettlementsController,
    FinanceSettingsController,
    ExchangeRatesController,
  ],
  providers: [
    AccountAuditService,
    AllocationsService,
    BookingAccountsRepository,
    BookingAccountsService,
    CustomerMoneyService,
    FinanceBookingListener,
    FinanceDemo,
    SupplierInvoicesRepository,
    SupplierInvoicesService,
    NumberSeriesRepository,
    NumberSeriesService,
    BilledTaxesService,
    InvoiceSourcesService,
    InvoicesRepository,
    IssuerCopiesRepository,
    InvoicesService,
    IssuingService,
    CreditNoteContentsService,
    CreditNotesRepository,
    CreditNotesService,
    RenditionJobs,
    RenditionsRepository,
    RenditionsService,
    PaymentPoliciesService,
    CollectionPlansService,
    PaymentPlanJobs,
    PaymentPlansService,
    PaymentDaysService,
    PaymentsService,
    BookingMoneyService,
    CreditDueService,
    PastAccountsRepository,
    RefundsService,
    TransfersService,
    PeriodsService,
    PeriodClosingService,
    AgingService,
    IntegrityService,
    ReportsService,
    CommissionJobs,
    CommissionsRepository,
    CommissionsService,
    CommissionPayoutsService,
    FinanceReminderSource,
    FeeInvoicesService,
    SettlementsService,
    ReminderRequestsService,
    FinanceSettingsService,
    ExchangeRatesService,
  ],
})
export class FinanceModule {}
