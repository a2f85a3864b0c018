import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { TaxCodesController } from './tax-codes/tax-codes.controller.js';
import { TaxCodesRepository } from './tax-codes/tax-codes.repository.js';
import { TaxCodesService } from './tax-codes/tax-codes.service.js';
import { TaxesDemo } from './taxes.demo.js';
import './taxes-tables.js';

/** Tax codes are a separate module below bookings, trips and finance, which all use them. */
@Module({
  imports: [ActionLedgerModule],
  controllers: [TaxCodesController],
  providers: [TaxCodesRepository, TaxCodesService, TaxesDemo],
  exports: [TaxCodesService],
})
export class TaxesModule {}
