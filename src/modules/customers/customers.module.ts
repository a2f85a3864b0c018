import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { VaultModule } from '../vault/index.js';
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
  controllers: [CustomersController, ConsentsController],
  providers: [ConsentsService, CustomersDemo, CustomersRepository, CustomersService, SealedValues],
  exports: [ConsentsService, CustomersService, SealedValues],
})
export class CustomersModule {}
