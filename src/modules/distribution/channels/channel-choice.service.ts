import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import type { ChannelStatus } from './channel.entity.js';

/** For whoever makes things that name a channel, and for whoever sells through one. */
@Injectable()
export class ChannelChoice {
  constructor(private readonly database: Database) {}

  /** Throws 404 with the field that names it, 409 `channel_archived`. */
  async assertUsable(id: string, field = 'channelId'): Promise<void> {
    assertNotArchived(await this.statusOf(id, field), field);
  }

  /** Like `assertUsable`, and it stays usable until the running transaction ends. */
  async hold(id: string, field = 'channelId'): Promise<void> {
    assertNotArchived(await this.statusOf(id, field, 'for share'), field);
  }

  /** Throws 404, 409 `channel_archived`, `channel_inactive`. */
  async assertSelling(id: string, field = 'channelId'): Promise<void> {
    const status = await this.statusOf(id, field);
    assertNotArchived(status, field);
    if (status === 'inactive') throw conflict('channel_inactive', 'The channel is inactive', { field });
  }

  private async statusOf(id: string, field: string, lock: '' | 'for share' = ''): Promise<ChannelStatus> {
    const name = lock === '' ? 'channel-status' : 'channel-hold';
    const text = `select status from channels where id = $1 ${lock}`;
    const [channel] = await this.database.prepared<{ status: ChannelStatus }>(name, text, [id]);
    if (!channel) throw notFound({ field });
    return channel.status;
  }
}

function assertNotArchived(status: ChannelStatus, field: string): void {
  if (status === 'archived') throw conflict('channel_archived', 'The channel is archived', { field });
}
