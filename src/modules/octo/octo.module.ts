import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ConnectModule } from '../connect/index.js';
import { DistributionModule } from '../distribution/index.js';
import { IdentityModule } from '../identity/index.js';
import { LegalModule } from '../legal/index.js';
import { OperationsModule } from '../operations/index.js';
import { OrganizationModule } from '../organization/index.js';
import { ProductsModule } from '../products/index.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ConnectionsService } from './connections/connections.service.js';
import { OctoDemo } from './octo.demo.js';
import { AvailabilityService } from './supplier/availability.service.js';
import { CatalogueService } from './supplier/catalogue.service.js';
import { ResellersService } from './supplier/resellers.service.js';
import { SupplierController } from './supplier/supplier.controller.js';

@Module({
  imports: [
    ActionLedgerModule,
    ConnectModule,
    DistributionModule,
    IdentityModule,
    LegalModule,
    OperationsModule,
    OrganizationModule,
    ProductsModule,
  ],
  controllers: [ConnectionsController, SupplierController],
  providers: [AvailabilityService, CatalogueService, ConnectionsService, OctoDemo, ResellersService],
  exports: [ConnectionsService],
})
export class OctoModule {}
