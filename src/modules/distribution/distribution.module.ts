import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { OperationsModule } from '../operations/index.js';
import { AllotmentChanges } from './allotments/allotment-changes.service.js';
import { AllotmentJournal } from './allotments/allotment-journal.js';
import { AllotmentRestoration } from './allotments/allotment-restoration.service.js';
import { AllotmentRows } from './allotments/allotment-rows.service.js';
import { AllotmentSales } from './allotments/allotment-sales.service.js';
import { AllotmentUndos } from './allotments/allotment-undos.service.js';
import { AllotmentsController } from './allotments/allotments.controller.js';
import { DepartureSlots } from './allotments/departure-slots.service.js';
import { Movements } from './allotments/movements.service.js';
import { NewAllotments } from './allotments/new-allotments.service.js';
import { ReleaseJob } from './allotments/release-job.service.js';
import { ReleasePlans } from './allotments/release-plans.service.js';
import { ReleaseSteps } from './allotments/release-steps.service.js';
import { Releases } from './allotments/releases.service.js';
import { SlotChanges } from './allotments/slot-changes.service.js';
import { SlotCoverage } from './allotments/slot-coverage.service.js';
import { SlotReclaims } from './allotments/slot-reclaims.service.js';
import { SlotReleases } from './allotments/slot-releases.service.js';
import { SlotRows } from './allotments/slot-rows.service.js';
import { SlotsController } from './allotments/slots.controller.js';
import { Slots } from './allotments/slots.service.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ChannelReversals } from './channels/channels.reversals.js';
import { ChannelsService } from './channels/channels.service.js';
import { DistributionDemo } from './distribution.demo.js';

@Module({
  imports: [ActionLedgerModule, OperationsModule],
  controllers: [ChannelsController, AllotmentsController, SlotsController],
  providers: [
    AllotmentChanges,
    AllotmentJournal,
    AllotmentRestoration,
    AllotmentRows,
    AllotmentSales,
    AllotmentUndos,
    ChannelReversals,
    ChannelsService,
    DepartureSlots,
    DistributionDemo,
    Movements,
    NewAllotments,
    ReleaseJob,
    ReleasePlans,
    ReleaseSteps,
    Releases,
    SlotChanges,
    SlotCoverage,
    SlotReclaims,
    SlotReleases,
    SlotRows,
    Slots,
  ],
  exports: [AllotmentSales, ChannelsService],
})
export class DistributionModule {}
