import { demoId } from '../../platform/id.js';
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

/** The channels that the API document's examples name: 1 own sales, 2 to be read, 3 to be changed. */
export async function loadDemoChannels(channels: Channels): Promise<void> {
  for (const [index, channel] of CHANNELS.entries()) await channels.create(channel, demoId('chan', index + 1));
}
