import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { CreateAllotment } from './allotments/allotment.dto.js';
import { AllotmentsService } from './allotments/allotments.service.js';
import { ReleasesService } from './allotments/releases.service.js';
import { SlotsService } from './allotments/slots.service.js';
import type { CreateChannel } from './channels/channel.dto.js';
import { ChannelsService } from './channels/channels.service.js';

const CHANNELS: readonly (CreateChannel & { systemKey?: string })[] = [
  { name: 'Own website', kind: 'direct', systemKey: 'direct', website: 'https://www.example.com' },
  {
    name: 'Alpine Resellers',
    description: 'Reseller for the German-speaking market',
    contactName: 'Markus Egger',
    contactEmail: 'markus.egger@example.com',
    metadata: { region: 'DACH' },
  },
  { name: 'Wanderlust Marketplace', kind: 'marketplace', status: 'pending' },
];

const MISTAKE: CreateChannel = { name: 'Wanderlust Marketplace (entered twice)', kind: 'marketplace' };

/** The first two tours of the catalog. */
const [DELTA, ALPS] = [demoId('prod', 1), demoId('prod', 2)];

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

const RELEASE: NonNullable<CreateAllotment['release']> = {
  mode: 'automatic',
  steps: [
    { daysBefore: 21, keepQuantity: 2 },
    { daysBefore: 7, hoursBefore: 12 },
  ],
};

const ALLOTMENTS: readonly (Omit<CreateAllotment, 'channelId' | 'validFrom' | 'validTo'> & { channel: number })[] = [
  { channel: 2, productId: ALPS, defaultQuantity: 4, release: RELEASE },
  { channel: 1, productId: ALPS, defaultQuantity: 3, notes: 'For the newsletter campaign' },
  { channel: 1, productId: DELTA, type: 'cap', defaultQuantity: 10 },
  { channel: 2, productId: DELTA, defaultQuantity: 5 },
];

/** The channels and allotments that the examples of the API document name. */
@Injectable()
export class DistributionDemo {
  constructor(
    private readonly channels: ChannelsService,
    private readonly allotments: AllotmentsService,
    private readonly releases: ReleasesService,
    private readonly slots: SlotsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The examples read channel 2 and change 3. Channel 1 is the direct channel; 4 is a mistake, whose creation (ledger entry 2)
   * can be reversed.
   */
  @DemoData(200, 'distribution channels')
  async loadChannels(): Promise<void> {
    for (const [index, channel] of CHANNELS.entries()) await this.channels.create(channel, demoId('chan', index + 1));
    await this.channels.create(MISTAKE, demoId('chan', 4), demoId('aled', 2));
  }

  /** Each covers a year of departures. The examples read and sell 1, change 2 and its slots, delete 3 and release 4. */
  @DemoData(210, 'allotments')
  async loadAllotments(): Promise<void> {
    const validFrom = this.clock.today();
    const validTo = new Date(Date.parse(validFrom) + YEAR_MS).toISOString().slice(0, 10);
    for (const [index, { channel, ...allotment }] of ALLOTMENTS.entries()) {
      const body = { ...allotment, channelId: demoId('chan', channel), validFrom, validTo };
      // Allotment 2 has the slots 21, 22 and so on.
      let slots = (index + 1) * 10;
      const slot = () => demoId('alsl', (slots += 1));
      await this.allotments.create(body, { allotment: () => demoId('alot', index + 1), slot });
    }
    // Units of slot 22 can be reclaimed.
    const { views } = await this.slots.list(demoId('alot', 2), {});
    const released = views.find(({ slot }) => slot.id === demoId('alsl', 22));
    if (released) await this.releases.release(demoId('alot', 2), released.slot.departureId);
  }
}
