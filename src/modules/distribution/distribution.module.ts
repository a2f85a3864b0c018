import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ChannelsController } from './channels/channels.controller.js';
import { Channels } from './channels/channels.service.js';
import { SystemChannelRow, SystemChannels } from './channels/system-channels.service.js';
import { loadDemoChannels } from './demo.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [ChannelsController],
  providers: [Channels, SystemChannels],
})
export class DistributionModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly channels: Channels,
    private readonly systemChannels: SystemChannels,
  ) {}

  onModuleInit(): void {
    this.provisioning.section('systemChannels', {
      order: 200,
      row: SystemChannelRow,
      apply: (rows) => this.systemChannels.apply(rows),
    });
    this.provisioning.demo(200, 'distribution channels', () => loadDemoChannels(this.channels));
  }
}
