import { Injectable, type OnModuleInit } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/checked-as.js';
import { assertUnchangedSince, type RecordedAction, Reversals, type Undone } from '../../action-ledger/index.js';
import { UpdateChannel } from './channel.dto.js';
import type { Channel } from './channel.entity.js';
import { Channels, imageOf } from './channels.service.js';

/** How what was done to channels is undone. */
@Injectable()
export class ChannelUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly channels: Channels,
  ) {}

  onModuleInit(): void {
    this.reversals.register('distribution.channel.create', { reverse: (entry) => this.archive(entry) });
    this.reversals.register('distribution.channel.update', { reverse: (entry) => this.restore(entry) });
  }

  /** Throws 409 `channel_in_use`, `system_channel_protected`, `channel_archived` where it is archived already. */
  private async archive({ subjectId }: RecordedAction): Promise<Undone> {
    return this.revised(subjectId, (channel, now) => {
      if (channel.status === 'archived')
        throw conflict('channel_archived', 'The channel is already archived', { channelId: subjectId });
      channel.change({ status: 'archived' }, now);
    });
  }

  /** Throws 409 `changed_since`, `channel_name_taken`, `channel_in_use`. */
  private async restore(entry: RecordedAction): Promise<Undone> {
    const before = await checkedAs(UpdateChannel, entry.before);
    return this.revised(entry.subjectId, (channel, now) => {
      assertUnchangedSince(entry, channel);
      channel.restore(before, now);
    });
  }

  private async revised(id: string, change: (channel: Channel, now: Date) => void): Promise<Undone> {
    const { channel, before } = await this.channels.revise(id, change);
    return { before, after: imageOf(channel) };
  }
}
