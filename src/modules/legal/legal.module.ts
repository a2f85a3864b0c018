import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ContractExpiry } from './contracts/contract-expiry.js';
import { ContractJournal } from './contracts/contract-journal.js';
import { ContractTransitions } from './contracts/contract-transitions.service.js';
import { ContractsController } from './contracts/contracts.controller.js';
import { Contracts } from './contracts/contracts.service.js';
import { PublicContractsController } from './contracts/public-contracts.controller.js';
import { PublicContracts } from './contracts/public-contracts.service.js';
import { loadDemoContracts } from './demo.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [PublicContractsController, ContractsController],
  providers: [Contracts, ContractTransitions, ContractJournal, ContractExpiry, PublicContracts],
})
export class LegalModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly contracts: Contracts,
    private readonly transitions: ContractTransitions,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(500, 'contracts', () => loadDemoContracts(this.contracts, this.transitions));
  }
}
