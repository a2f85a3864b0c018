import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { DistributionModule } from '../distribution/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { OrganizationModule } from '../organization/index.js';
import { AccountAuditService } from './receivables/account/account-audit.service.js';
import { AllocationsService } from './receivables/account/allocations.service.js';
import { BookingAccountsRepository } from './receivables/account/booking-accounts.repository.js';
import { BookingAccountsService } from './receivables/account/booking-accounts.service.js';
import { BookingMoneyController } from './receivables/booking-money/booking-money.controller.js';
import { BookingMoneyService } from './receivables/booking-money/booking-money.service.js';
import { CreditDueService } from './receivables/booking-money/credit-due.service.js';
import { PastAccountsRepository } from './receivables/booking-money/past-accounts.repository.js';
import { AllCommissionsController, CommissionsController } from './commissions/commissions.controller.js';
import { CommissionJobs } from './commissions/commissions.jobs.js';
import { PartnerCommissionsController } from './commissions/partner-commissions.controller.js';
import { PartnerCommissionsService } from './commissions/partner-commissions.service.js';
import { CommissionsRepository } from './commissions/commissions.repository.js';
import { CommissionsService } from './commissions/commissions.service.js';
import { CustomerMoneyService } from './receivables/account/customer-money.service.js';
import { CreditNoteContentsService } from './receivables/credit-notes/credit-note-contents.service.js';
import { CreditNotesController } from './receivables/credit-notes/credit-notes.controller.js';
import { CreditNotesRepository } from './receivables/credit-notes/credit-notes.repository.js';
import { CreditNotesService } from './receivables/credit-notes/credit-notes.service.js';
import { ExchangeRatesController } from './books/exchange-rates/exchange-rates.controller.js';
import { ExchangeRatesService } from './books/exchange-rates/exchange-rates.service.js';
import { FinanceBookingListener } from './finance-booking-listener.js';
import { FinanceDemo } from './finance.demo.js';
import { InvoicesController } from './receivables/invoices/invoices.controller.js';
import { InvoiceSourcesService } from './receivables/invoices/invoice-sources.service.js';
import { DocumentLocksService } from './receivables/invoices/document-locks.service.js';
import { InvoicesRepository } from './receivables/invoices/invoices.repository.js';
import { IssuerCopiesRepository } from './receivables/invoices/issuer-copies.repository.js';
import { InvoicesService } from './receivables/invoices/invoices.service.js';
import { IssuingService } from './receivables/invoices/issuing.service.js';
import { NumberSeriesController } from './books/number-series/number-series.controller.js';
import { NumberSeriesRepository } from './books/number-series/number-series.repository.js';
import { NumberSeriesService } from './books/number-series/number-series.service.js';
import { CollectionPlansController } from './receivables/plans/collection-plans.controller.js';
import { CollectionPlansService } from './receivables/plans/collection-plans.service.js';
import { PaymentPlanJobs } from './receivables/plans/payment-plans.jobs.js';
import { PaymentPlansService } from './receivables/plans/payment-plans.service.js';
import { PaymentSchedulesController } from './receivables/plans/payment-schedules.controller.js';
import { PaymentPoliciesController } from './receivables/policies/payment-policies.controller.js';
import { PaymentPoliciesService } from './receivables/policies/payment-policies.service.js';
import { CommissionPayoutsController } from './receivables/payments/commission-payouts.controller.js';
import { CommissionPayoutsService } from './receivables/payments/commission-payouts.service.js';
import { PaymentDaysService } from './books/payments/payment-days.service.js';
import { PaymentsController } from './receivables/payments/payments.controller.js';
import { PaymentsService } from './receivables/payments/payments.service.js';
import { PeriodClosingService } from './reports/period-closing.service.js';
import { PeriodsController } from './reports/periods.controller.js';
import { PeriodsService } from './books/periods/periods.service.js';
import { RefundsController } from './receivables/refunds/refunds.controller.js';
import { RefundsService } from './receivables/refunds/refunds.service.js';
import { TransfersController } from './receivables/refunds/transfers.controller.js';
import { TransfersService } from './receivables/refunds/transfers.service.js';
import { ReminderRequestsService } from './receivables/reminders/reminder-requests.service.js';
import { FinanceReminderSource } from './receivables/reminders/finance-reminder-source.js';
import { ReminderRunsController } from './receivables/reminders/reminder-runs.controller.js';
import { AgingService } from './reports/aging.service.js';
import { FinanceReportsController } from './reports/finance-reports.controller.js';
import { FinanceData } from './reports/finance-data.js';
import { ReportsController } from './reports/reports.controller.js';
import { ReportsService } from './reports/reports.service.js';
import { IntegrityService } from './reports/integrity.service.js';
import { BookingDispatchesController, InvoiceDispatchesController } from './documents/dispatches.controller.js';
import { DispatchesService } from './documents/dispatches.service.js';
import { RenditionsController } from './documents/renditions.controller.js';
import { RenditionJobs } from './documents/renditions.jobs.js';
import { RenditionsRepository } from './documents/renditions.repository.js';
import { RenditionsService } from './documents/renditions.service.js';
import { FinanceSettingsController } from './books/settings/finance-settings.controller.js';
import { FinanceSettingsService } from './books/settings/finance-settings.service.js';
import { CalledOffMoneyService } from './receivables/settlements/called-off-money.service.js';
import { FeeInvoicesService } from './receivables/settlements/fee-invoices.service.js';
import { SettlementsController } from './receivables/settlements/settlements.controller.js';
import { CancellationReminderSource } from './receivables/settlements/cancellation-reminder-source.js';
import { SettlementsService } from './receivables/settlements/settlements.service.js';
import { SupplierInvoicesController } from './payables/supplier-invoices.controller.js';
import { SupplierInvoicesRepository } from './payables/supplier-invoices.repository.js';
import { BilledTaxesService } from './books/tax-allocation/billed-taxes.service.js';
import { TaxesModule } from '../taxes/index.js';
import { SupplierInvoicesService } from './payables/supplier-invoices.service.js';
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
    BookingDispatchesController,
    InvoiceDispatchesController,
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
    PartnerCommissionsController,
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
    FinanceData,
    FinanceDemo,
    SupplierInvoicesRepository,
    SupplierInvoicesService,
    NumberSeriesRepository,
    NumberSeriesService,
    BilledTaxesService,
    InvoiceSourcesService,
    InvoicesRepository,
    DocumentLocksService,
    IssuerCopiesRepository,
    InvoicesService,
    IssuingService,
    CreditNoteContentsService,
    CreditNotesRepository,
    CreditNotesService,
    DispatchesService,
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
    PartnerCommissionsService,
    CommissionPayoutsService,
    FinanceReminderSource,
    CalledOffMoneyService,
    FeeInvoicesService,
    CancellationReminderSource,
    SettlementsService,
    ReminderRequestsService,
    FinanceSettingsService,
    ExchangeRatesService,
  ],
  exports: [CalledOffMoneyService, CommissionsService, InvoicesService, PaymentsService, SettlementsService],
})
export class FinanceModule {}
