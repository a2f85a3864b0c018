import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AllotmentRows } from '../allotments/allotment-rows.service.js';
import {
  type ChannelResponse,
  type CreateChannel,
  type ListChannels,
  toChannel,
  type UpdateChannel,
} from './channel.dto.js';
import { Channel, CHANNEL_STATUSES } from './channel.entity.js';

refuseOn('channels_live_name', () =>
  conflict('channel_name_taken', 'Another channel already has this name', { field: 'name' }),
);

@Injectable()
export class Channels {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly allotments: AllotmentRows,
  ) {}

  /** Throws 409 `channel_name_taken`, 422 `invalid_initial_status`. */
  async create(
    input: CreateChannel & { systemKey?: string },
    id = newId('chan'),
    entryId = newId('aled'),
  ): Promise<Channel> {
    if (input.status === 'archived') {
      const allowed = CHANNEL_STATUSES.filter((status) => status !== 'archived');
      throw unprocessable('invalid_initial_status', 'A new channel cannot be archived', { field: 'status', allowed });
    }
    const now = this.clock.now();
    return this.database.transaction(async () => {
      const channel = make(Channel, {
        id,
        name: input.name,
        description: input.description ?? null,
        kind: input.kind ?? 'reseller',
        status: input.status ?? 'active',
        website: input.website ?? null,
        contactName: input.contactName ?? null,
        contactEmail: input.contactEmail ?? null,
        metadata: input.metadata ?? null,
        systemKey: input.systemKey ?? null,
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      await this.database.insert(channel);
      this.ledger.recordUnder(entryId, 'distribution.channel.create', {
        ...subjectOf(channel),
        before: null,
        after: imageOf(channel),
      });
      this.announce('created', channel);
      return channel;
    });
  }

  async list(query: ListChannels): Promise<{ channels: Channel[]; total: number }> {
    const { sort = '-createdAt' } = query;
    const found = this.database.repository(Channel).createQueryBuilder('channel');
    if (query.search !== undefined) found.andWhere('channel.name ilike :name', { name: containing(query.search) });
    if (query.kind !== undefined) found.andWhere('channel.kind = :kind', { kind: query.kind });
    if (query.status !== undefined) found.andWhere('channel.status = :status', { status: query.status });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`channel.${sort.replace('-', '')}`, direction).addOrderBy('channel.id', direction);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { channels: rows.map(({ entity }) => entity), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<Channel> {
    const channel = await this.database.repository(Channel).findOneBy({ id });
    return channel ?? refuseUnknown();
  }

  /** Throws 404, 409 `invalid_transition`, `channel_name_taken`, `channel_in_use`, `system_channel_protected`, 412. */
  async update(id: string, changes: UpdateChannel, expected: ExpectedVersions): Promise<Channel> {
    return this.database.transaction(async () => {
      const { channel, before } = await this.revise(id, (held, now) => {
        assertVersion(expected, held);
        held.change(changes, now);
      });
      this.ledger.record('distribution.channel.update', { ...subjectOf(channel), before, after: imageOf(channel) });
      return channel;
    });
  }

  /**
   * Changes a channel in the running transaction; what the ledger says of it is the caller's. Throws what `change` throws,
   * 404, 409 `channel_name_taken`, `channel_in_use`.
   */
  async revise(
    id: string,
    change: (channel: Channel, now: Date) => void,
  ): Promise<{ channel: Channel; before: ChannelResponse }> {
    const channel = await this.lock(id);
    const before = toChannel(channel);
    change(channel, this.clock.now());
    if (channel.status === 'archived' && before.status !== 'archived') await this.assertUnused(id);
    await this.database.update(channel);
    this.announce('updated', channel);
    return { channel, before };
  }

  /** Whoever allots units to the channel holds its row meanwhile, so none can come after the count. */
  private async assertUnused(id: string): Promise<void> {
    const allotments = await this.allotments.countLive(id, this.clock.today());
    if (allotments > 0) throw conflict('channel_in_use', 'The channel has allotments in force', { allotments });
  }

  private async lock(id: string): Promise<Channel> {
    return (await this.database.lock(Channel, id)) ?? refuseUnknown();
  }

  private announce(what: 'created' | 'updated', { id, status, version }: Channel): void {
    const data = { channelId: id, status, version };
    this.outbox.add({ channel: 'distribution.channels', event: `channel.${what}`, data });
  }
}

function subjectOf({ id }: Channel) {
  return { subjectType: 'channel', subjectId: id };
}

/** The image before an update is what an undo restores; people's names and addresses stand in no other image. */
export function imageOf(channel: Channel): object {
  return { ...toChannel(channel), contactName: undefined, contactEmail: undefined };
}

function refuseUnknown(): never {
  throw notFound();
}
