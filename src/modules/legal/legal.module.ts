import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ContractExpiry } from './contracts/contract-expiry.js';
import { ContractJournal } from './contracts/contract-journal.js';
import { ContractTransitions } from './contracts/contract-transitions.service.js';
import { ContractsController } from './contracts/contracts.controller.js';
import { Contracts } from './contracts/contracts.service.js';
import { PublicContractsController } from './contracts/public-contracts.controller.js';
import { PublicContracts } from './contracts/public-contracts.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [PublicContractsController, ContractsController],
  providers: [Contracts, ContractTransitions, ContractJournal, ContractExpiry, PublicContracts],
})
export class LegalModule {}
