import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { OperationsModule } from '../operations/index.js';
import { ProductsModule } from '../products/index.js';
import { DistributionProductListener } from './allotments/distribution-product-listener.js';
import { AllotmentsController } from './allotments/allotments.controller.js';
import { AllotmentJobs } from './allotments/allotments.jobs.js';
import { AllotmentsRepository } from './allotments/allotments.repository.js';
import { AllotmentsService } from './allotments/allotments.service.js';
import { ReleasesService } from './allotments/releases.service.js';
import { SlotOpeningsService } from './allotments/slot-openings.service.js';
import { SlotsController } from './allotments/slots.controller.js';
import { SlotsRepository } from './allotments/slots.repository.js';
import { SlotsService } from './allotments/slots.service.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ChannelsService } from './channels/channels.service.js';
import { DistributionDemo } from './distribution.demo.js';
import './distribution-tables.js';

@Module({
  imports: [ActionLedgerModule, OperationsModule, ProductsModule],
  controllers: [ChannelsController, AllotmentsController, SlotsController],
  providers: [
    AllotmentJobs,
    DistributionProductListener,
    AllotmentsRepository,
    AllotmentsService,
    ChannelsService,
    DistributionDemo,
    ReleasesService,
    SlotOpeningsService,
    SlotsRepository,
    SlotsService,
  ],
  exports: [AllotmentsService, ChannelsService],
})
export class DistributionModule {}
