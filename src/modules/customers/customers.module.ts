import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { VaultModule } from '../vault/index.js';
import { CustomerData } from './privacy/customer-data.js';
import { DataExportsController } from './privacy/data-exports.controller.js';
import { DataExportsService } from './privacy/data-exports.service.js';
import { ErasuresController } from './privacy/erasures.controller.js';
import { ErasuresService } from './privacy/erasures.service.js';
import { PersonsService } from './privacy/persons.service.js';
import { ConsentsController } from './customers/consents.controller.js';
import { ConsentsService } from './customers/consents.service.js';
import { CustomersDemo } from './customers.demo.js';
import { CustomersController } from './customers/customers.controller.js';
import { CustomersRepository } from './customers/customers.repository.js';
import { CustomersService } from './customers/customers.service.js';
import { SealedValues } from './customers/sealed-values.js';
import './customers-tables.js';

@Module({
  imports: [ActionLedgerModule, VaultModule],
  controllers: [CustomersController, ConsentsController, ErasuresController, DataExportsController],
  providers: [
    ConsentsService,
    CustomerData,
    CustomersDemo,
    CustomersRepository,
    CustomersService,
    DataExportsService,
    ErasuresService,
    PersonsService,
    SealedValues,
  ],
  exports: [ConsentsService, CustomersService, SealedValues],
})
export class CustomersModule {}
