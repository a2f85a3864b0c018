import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { DistributionModule } from '../distribution/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { OrganizationModule } from '../organization/index.js';
import { ContractPagesController } from './contract-pages/contract-pages.controller.js';
import { ContractData } from './contracts/contract-data.js';
import { ContractPagesService } from './contract-pages/contract-pages.service.js';
import { ContractsController } from './contracts/contracts.controller.js';
import { ContractsService } from './contracts/contracts.service.js';
import { PublicContractsController } from './contracts/public-contracts.controller.js';
import { LegalDemo } from './legal.demo.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PoliciesService } from './policies/policies.service.js';
import { PolicyAssignmentsController } from './policy-assignments/policy-assignments.controller.js';
import { PolicyAssignmentsService } from './policy-assignments/policy-assignments.service.js';
import { PolicyVersionsController } from './policy-versions/policy-versions.controller.js';
import { PolicyVersionsRepository } from './policy-versions/policy-versions.repository.js';
import { PolicyVersionsService } from './policy-versions/policy-versions.service.js';
import { PolicyResolutionController } from './terms/policy-resolution.controller.js';
import { TermsService } from './terms/terms.service.js';
import './legal-tables.js';

@Module({
  imports: [ActionLedgerModule, DistributionModule, NotificationsModule, OrganizationModule],
  controllers: [
    PublicContractsController,
    ContractPagesController,
    ContractsController,
    // Registered before the policies, because `assignments` and `resolve` are not ids.
    PolicyAssignmentsController,
    PolicyResolutionController,
    PolicyVersionsController,
    PoliciesController,
  ],
  providers: [
    ContractData,
    ContractPagesService,
    ContractsService,
    LegalDemo,
    PoliciesService,
    PolicyAssignmentsService,
    PolicyVersionsRepository,
    PolicyVersionsService,
    TermsService,
  ],
  exports: [ContractsService, TermsService],
})
export class LegalModule {}
