import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertUnchangedSince, type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { UpdateChannel } from './channel.dto.js';
import { ChannelsService } from './channels.service.js';

/** Reverses ledger entries of channels. */
@Injectable()
export class ChannelReversals {
  constructor(private readonly channels: ChannelsService) {}

  /** Archives the channel. Throws 409 `channel_in_use`, `system_channel_protected`, `channel_archived`. */
  @Reverses('distribution.channel.create')
  async reverseCreation({ subjectId }: RecordedAction): Promise<ReversalResult> {
    return this.channels.reverse(subjectId, (channel, now) => {
      if (channel.status === 'archived') {
        throw conflict('channel_archived', 'The channel is already archived', { channelId: subjectId });
      }
      channel.change({ status: 'archived' }, now);
    });
  }

  /** Restores the values of before. Throws 409 `changed_since`, `channel_name_taken`, `channel_in_use`. */
  @Reverses('distribution.channel.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const before = await checkedAs(UpdateChannel, entry.before);
    return this.channels.reverse(entry.subjectId, (channel, now) => {
      assertUnchangedSince(entry, channel);
      channel.restore(before, now);
    });
  }
}
