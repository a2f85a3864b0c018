import { Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { DistributionModule } from '../distribution/index.js';
import { ContractExpiry } from './contracts/contract-expiry.js';
import { ContractJournal } from './contracts/contract-journal.js';
import { ContractTransitions } from './contracts/contract-transitions.service.js';
import { ContractUndos } from './contracts/contract-undos.service.js';
import { ContractsController } from './contracts/contracts.controller.js';
import { Contracts } from './contracts/contracts.service.js';
import { PublicContractsController } from './contracts/public-contracts.controller.js';
import { PublicContracts } from './contracts/public-contracts.service.js';
import { loadDemoContracts } from './demo.js';
import { loadDemoPolicies } from './demo-policies.js';
import { Policies } from './policies/policies.service.js';
import { PoliciesController } from './policies/policies.controller.js';
import { LockedAssignmentRow, LockedAssignments } from './policy-assignments/locked-assignments.service.js';
import { PolicyAssignmentJournal } from './policy-assignments/policy-assignment-journal.js';
import { PolicyAssignmentUndos } from './policy-assignments/policy-assignment-undos.service.js';
import { PolicyAssignmentsController } from './policy-assignments/policy-assignments.controller.js';
import { PolicyAssignments } from './policy-assignments/policy-assignments.service.js';
import { PolicyVersionJournal } from './policy-versions/policy-version-journal.js';
import { PolicyVersionRows } from './policy-versions/policy-version-rows.service.js';
import { PolicyVersionsController } from './policy-versions/policy-versions.controller.js';
import { PolicyVersions } from './policy-versions/policy-versions.service.js';
import { Publications } from './policy-versions/publications.service.js';
import { PolicyResolutionController } from './terms/policy-resolution.controller.js';
import { PolicyResolution } from './terms/policy-resolution.service.js';
import { TermsInForce } from './terms/terms-in-force.service.js';

@Module({
  imports: [ActionLedgerModule, DistributionModule],
  controllers: [
    PublicContractsController,
    ContractsController,
    // Before the policies: `assignments` and `resolve` are no ids.
    PolicyAssignmentsController,
    PolicyResolutionController,
    PolicyVersionsController,
    PoliciesController,
  ],
  providers: [
    Contracts,
    ContractTransitions,
    ContractUndos,
    ContractJournal,
    ContractExpiry,
    PublicContracts,
    LockedAssignments,
    Policies,
    PolicyAssignmentJournal,
    PolicyAssignments,
    PolicyAssignmentUndos,
    PolicyResolution,
    PolicyVersionJournal,
    PolicyVersionRows,
    PolicyVersions,
    Publications,
    TermsInForce,
  ],
  exports: [TermsInForce],
})
export class LegalModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly modules: ModuleRef,
    private readonly contracts: Contracts,
    private readonly transitions: ContractTransitions,
    private readonly lockedAssignments: LockedAssignments,
  ) {}

  onModuleInit(): void {
    this.provisioning.section('policyAssignments', {
      order: 440,
      row: LockedAssignmentRow,
      apply: (rows) => this.lockedAssignments.apply(rows),
    });
    const makers = {
      policies: this.modules.get(Policies),
      versions: this.modules.get(PolicyVersions),
      publications: this.modules.get(Publications),
      assignments: this.modules.get(PolicyAssignments),
    };
    this.provisioning.demo(440, 'policies', () => loadDemoPolicies(makers));
    this.provisioning.demo(500, 'contracts', () => loadDemoContracts(this.contracts, this.transitions));
  }
}
