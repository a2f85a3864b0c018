import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { loadDemoSupplierInvoices } from './demo.js';
import { SupplierInvoiceReader } from './supplier-invoices/supplier-invoice-reader.service.js';
import { SupplierInvoicesController } from './supplier-invoices/supplier-invoices.controller.js';
import { SupplierInvoices } from './supplier-invoices/supplier-invoices.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [SupplierInvoicesController],
  providers: [SupplierInvoices, SupplierInvoiceReader],
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
