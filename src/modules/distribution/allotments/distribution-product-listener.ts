import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { ProductListener } from '../../products/index.js';
import { ChannelsService } from '../channels/channels.service.js';
import { AllotmentsService } from './allotments.service.js';

/**
 * Prevents archiving a product with live allotments, called after operations has locked the product. Checks the channels of price
 * lists.
 */
@Injectable()
@Listens(ProductListener, 20)
export class DistributionProductListener implements ProductListener {
  constructor(
    private readonly allotments: AllotmentsService,
    private readonly channels: ChannelsService,
  ) {}

  async archiving(productId: string): Promise<void> {
    await this.allotments.assertNoneLive(productId);
  }

  async channelChosen(channelId: string): Promise<void> {
    await this.channels.lockUsable(channelId);
  }

  async channelSelling(channelId: string): Promise<void> {
    await this.channels.assertSelling(channelId);
  }
}
