import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ConsentsController } from './consents/consents.controller.js';
import { ConsentsService } from './consents/consents.service.js';
import { CustomersDemo } from './customers.demo.js';
import { CustomersController } from './customers/customers.controller.js';
import { CustomersRepository } from './customers/customers.repository.js';
import { CustomersService } from './customers/customers.service.js';
import './customers-tables.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [CustomersController, ConsentsController],
  providers: [ConsentsService, CustomersDemo, CustomersRepository, CustomersService],
  exports: [CustomersService],
})
export class CustomersModule {}
