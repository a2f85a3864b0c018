import { demoId } from '../../platform/id.js';
import type { CreateAllotment } from './allotments/allotment.dto.js';
import type { NewAllotments } from './allotments/new-allotments.service.js';
import type { CreateChannel } from './channels/channel.dto.js';
import type { Channels } from './channels/channels.service.js';

const CHANNELS: readonly (CreateChannel & { systemKey?: string })[] = [
  { name: 'Own website', kind: 'direct', systemKey: 'direct', website: 'https://www.example.com' },
  {
    name: 'Alpine Resellers',
    description: 'Reseller for the German-speaking market',
    contactName: 'Petra Keller',
    contactEmail: 'petra.keller@example.com',
    metadata: { region: 'DACH' },
  },
  { name: 'Wanderlust Marketplace', kind: 'marketplace', status: 'pending' },
];

const MISTAKE: CreateChannel = { name: 'Wanderlust Marketplace (entered twice)', kind: 'marketplace' };

/**
 * The channels that the API document's examples name: 1 own sales, 2 to be read, 3 to be changed, and one that was a
 * mistake: the ledger's entry 2 says so, and is there to be reversed.
 */
export async function loadDemoChannels(channels: Channels): Promise<void> {
  for (const [index, channel] of CHANNELS.entries()) await channels.create(channel, demoId('chan', index + 1));
  await channels.create(MISTAKE, demoId('chan', 4), demoId('aled', 2));
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

const RELEASE: NonNullable<CreateAllotment['release']> = {
  mode: 'automatic',
  steps: [
    { daysBefore: 21, keepQuantity: 2 },
    { daysBefore: 7, hoursBefore: 12 },
  ],
};

const ALLOTMENTS: readonly (Omit<CreateAllotment, 'channelId' | 'validFrom' | 'validTo'> & { channel: number })[] = [
  { channel: 2, productId: 'alpine-crossing', defaultQuantity: 4, release: RELEASE },
  { channel: 1, productId: 'alpine-crossing', defaultQuantity: 3, notes: 'For the summer campaign' },
  { channel: 1, productId: 'tour-danube-delta', type: 'cap', defaultQuantity: 10 },
  { channel: 2, productId: 'tour-danube-delta', defaultQuantity: 5 },
];

/**
 * The allotments that the examples name, of a year of departures: 1 to be read and sold through, 2 to be changed
 * with its slots, 3 to be deleted, 4 to be released.
 */
export async function loadDemoAllotments(allotments: NewAllotments, today: string): Promise<void> {
  const validTo = new Date(Date.parse(today) + YEAR_MS).toISOString().slice(0, 10);
  for (const [index, { channel, ...allotment }] of ALLOTMENTS.entries()) {
    const body = { ...allotment, channelId: demoId('chan', channel), validFrom: today, validTo };
    // Slots 21 and 22 are of allotment 2, and so on.
    let slots = (index + 1) * 10;
    const slot = () => demoId('alsl', (slots += 1));
    await allotments.create(body, { allotment: () => demoId('alot', index + 1), slot });
  }
}
