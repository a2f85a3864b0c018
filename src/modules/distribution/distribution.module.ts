import { Module, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
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
import { ChannelChoice } from './channels/channel-choice.service.js';
import { ChannelUndos } from './channels/channel-undos.service.js';
import { ChannelsController } from './channels/channels.controller.js';
import { Channels } from './channels/channels.service.js';
import { SystemChannelRow, SystemChannels } from './channels/system-channels.service.js';
import { loadDemoAllotments, loadDemoChannels } from './demo.js';

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
    ChannelChoice,
    Channels,
    ChannelUndos,
    DepartureSlots,
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
    SystemChannels,
  ],
  exports: [AllotmentSales, ChannelChoice],
})
export class DistributionModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly channels: Channels,
    private readonly systemChannels: SystemChannels,
    private readonly allotments: NewAllotments,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.provisioning.section('systemChannels', {
      order: 200,
      row: SystemChannelRow,
      apply: (rows) => this.systemChannels.apply(rows),
    });
    this.provisioning.demo(200, 'distribution channels', () => loadDemoChannels(this.channels));
    this.provisioning.demo(210, 'allotments', () => loadDemoAllotments(this.allotments, this.clock.today()));
  }
}
