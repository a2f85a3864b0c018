import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { TaxCodesController } from './tax-codes/tax-codes.controller.js';
import { TaxCodesRepository } from './tax-codes/tax-codes.repository.js';
import { TaxCodesService } from './tax-codes/tax-codes.service.js';
import { TaxesDemo } from './taxes.demo.js';
import './taxes-tables.js';

/** Tax codes. Bookings, trips and finance use them, so that they are a module below these. */
@Module({
  imports: [ActionLedgerModule],
  controllers: [TaxCodesController],
  providers: [TaxCodesRepository, TaxCodesService, TaxesDemo],
  exports: [TaxCodesService],
})
export class TaxesModule {}
