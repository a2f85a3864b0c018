import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ChannelsController } from './channels/channels.controller.js';
import { Channels } from './channels/channels.service.js';
import { loadDemoChannels } from './demo.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [ChannelsController],
  providers: [Channels],
})
export class DistributionModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly channels: Channels,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(200, 'distribution channels', () => loadDemoChannels(this.channels));
  }
}
