import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ConnectModule } from '../connect/index.js';
import { DistributionModule } from '../distribution/index.js';
import { IdentityModule } from '../identity/index.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ConnectionsService } from './connections/connections.service.js';
import { OctoDemo } from './octo.demo.js';

@Module({
  imports: [ActionLedgerModule, ConnectModule, DistributionModule, IdentityModule],
  controllers: [ConnectionsController],
  providers: [ConnectionsService, OctoDemo],
  exports: [ConnectionsService],
})
export class OctoModule {}
