import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { DistributionModule } from '../distribution/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { loadDemoSupplierInvoices } from './demo.js';
import { FinanceBookingListener } from './finance-booking-listener.js';
import { commissionControllers, commissionProviders } from './commissions/parts.js';
import { invoiceControllers, invoiceProviders } from './invoices/parts.js';
import { numberSeriesControllers, numberSeriesProviders } from './number-series/parts.js';
import { planControllers, planProviders } from './payment-plans/parts.js';
import { paymentControllers, paymentProviders } from './payments/parts.js';
import { reportControllers, reportProviders } from './reports/parts.js';
import { reminderControllers, reminderProviders } from './reminders/parts.js';
import { renditionControllers, renditionProviders } from './renditions/parts.js';
import { SupplierInvoiceReader } from './supplier-invoices/supplier-invoice-reader.service.js';
import { SupplierInvoiceUndos } from './supplier-invoices/supplier-invoice-undos.service.js';
import { SupplierInvoicesController } from './supplier-invoices/supplier-invoices.controller.js';
import { SupplierInvoices } from './supplier-invoices/supplier-invoices.service.js';

@Module({
  imports: [ActionLedgerModule, BookingsModule, DistributionModule, NotificationsModule],
  controllers: [
    SupplierInvoicesController,
    ...numberSeriesControllers,
    ...invoiceControllers,
    ...renditionControllers,
    ...planControllers,
    ...paymentControllers,
    ...reportControllers,
    ...commissionControllers,
    ...reminderControllers,
  ],
  providers: [
    FinanceBookingListener,
    SupplierInvoices,
    SupplierInvoiceReader,
    SupplierInvoiceUndos,
    ...numberSeriesProviders,
    ...invoiceProviders,
    ...renditionProviders,
    ...planProviders,
    ...paymentProviders,
    ...reportProviders,
    ...commissionProviders,
    ...reminderProviders,
  ],
})
export class FinanceModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly invoices: SupplierInvoices,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(400, 'supplier invoices', () => loadDemoSupplierInvoices(this.invoices));
  }
}
