import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ConsentsController } from './customers/consents.controller.js';
import { ConsentsService } from './customers/consents.service.js';
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
