import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { NamesOf } from '../../../platform/http/row-names.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { type CreateChannel, type ListChannels, SystemChannelRow, UpdateChannel } from './channel.dto.js';
import { Channel, CHANNEL_STATUSES, type ChannelStatus } from './channel.entity.js';

mapConstraint('channels_live_name', () =>
  conflict('channel_name_taken', 'Another channel already has this name', { field: 'name' }),
);

const READ_STATUS = { name: 'channel-status', text: 'select status from channels where id = $1' };
const LOCK_STATUS = { name: 'channel-lock-status', text: 'select status from channels where id = $1 for share' };

/** Manages distribution channels. */
@Injectable()
export class ChannelsService {
  private readonly rows: Rows<Channel>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Channel);
  }

  async create(
    input: CreateChannel & { systemKey?: string },
    id = newId('chan'),
    entryId = newId('aled'),
  ): Promise<Channel> {
    if (input.status === 'archived') {
      const allowed = CHANNEL_STATUSES.filter((status) => status !== 'archived');
      throw unprocessable('invalid_initial_status', 'A new channel cannot be archived', { field: 'status', allowed });
    }
    const { kind = 'reseller', status = 'active' } = input;
    const channel = make(Channel, { ...input, id, kind, status, createdAt: this.clock.now() });
    return this.database.transaction(async () => {
      await this.rows.insert(channel);
      const images = { before: null, after: channel.auditImage() };
      this.ledger.recordUnder(entryId, 'distribution.channel.create', { ...subjectOf(channel), ...images });
      this.publish('created', channel);
      return channel;
    });
  }

  @NamesOf('channelId')
  async listNames(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.database.query('select id, name as name from channels where id = any($1)', [ids]);
  }

  async list(query: ListChannels): Promise<{ rows: Channel[]; total: number }> {
    const { sort = '-createdAt' } = query;
    const found = this.rows.query('channel');
    if (query.search !== undefined) found.andWhere('channel.name ilike :name', { name: containing(query.search) });
    if (query.kind !== undefined) found.andWhere('channel.kind = :kind', { kind: query.kind });
    filterRows(found, 'channel.status', query.status);
    sortRows(found, sort);
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<Channel> {
    return this.rows.get(id);
  }

  async update(id: string, changes: UpdateChannel, expected: ExpectedVersions): Promise<Channel> {
    return this.database.transaction(async () => {
      const channel = await this.rows.lock(id);
      assertVersion(expected, channel);
      const images = await this.change(channel, () => channel.change(changes, this.clock.now()));
      this.ledger.record('distribution.channel.update', { ...subjectOf(channel), ...images });
      return channel;
    });
  }

  /** Archives the channel. */
  @Reverses('distribution.channel.create', { effect: 'distribution.channel.update' })
  async reverseCreation({ subjectId }: RecordedAction): Promise<ReversalResult> {
    const channel = await this.rows.lock(subjectId);
    if (channel.status === 'archived') {
      throw conflict('channel_archived', 'The channel is already archived', { channelId: subjectId });
    }
    return this.change(channel, () => channel.change({ status: 'archived' }, this.clock.now()));
  }

  /** Restores the earlier values. */
  @Reverses('distribution.channel.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdateChannel, entry.before);
    const channel = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, channel);
    return this.change(channel, () => channel.restore(restored, this.clock.now()));
  }

  /** The organization's own direct channel, which no endpoint creates. Members that a row omits keep their values. */
  @Provisions({ name: 'systemChannels', order: 200, row: SystemChannelRow })
  async provision(rows: SystemChannelRow[]): Promise<void> {
    for (const { systemKey, ...fields } of rows) {
      const existing = await this.rows.findBy({ systemKey });
      if (!existing) await this.create({ ...fields, kind: 'direct', systemKey });
      else if (!isDeepStrictEqual({ ...existing, ...fields }, { ...existing })) {
        await this.update(existing.id, fields, null);
      }
    }
  }

  /** An archived channel is rejected; the error names the field that contains the id. */
  async assertUsable(id: string, field = 'channelId'): Promise<void> {
    await this.usableStatus(READ_STATUS, id, field);
  }

  /** Like `assertUsable`, and the channel cannot be archived until the running transaction ends. */
  async lockUsable(id: string, field = 'channelId'): Promise<void> {
    await this.usableStatus(LOCK_STATUS, id, field);
  }

  async isSelling(id: string): Promise<boolean> {
    return (await this.rows.get(id)).status === 'active';
  }

  async assertSelling(id: string, field = 'channelId'): Promise<void> {
    const status = await this.usableStatus(READ_STATUS, id, field);
    if (status === 'inactive') throw conflict('channel_inactive', 'The channel is inactive', { field });
  }

  private async usableStatus({ name, text }: typeof READ_STATUS, id: string, field: string): Promise<ChannelStatus> {
    const [channel] = await this.database.prepared<{ status: ChannelStatus }>(name, text, [id]);
    if (!channel) throw notFound({ field });
    if (channel.status === 'archived') throw conflict('channel_archived', 'The channel is archived', { field });
    return channel.status;
  }

  /** Saves and publishes a change of a locked channel, and returns its audit record. */
  private async change(channel: Channel, change: () => void): Promise<{ before: object; after: object }> {
    const [before, { status }] = [channel.auditImage(), channel];
    change();
    if (channel.status === 'archived' && status !== 'archived') await this.assertUnused(channel.id);
    await this.rows.update(channel);
    this.publish('updated', channel);
    return { before, after: channel.auditImage() };
  }

  /** A transaction that adds an allotment locks the channel (`lockUsable`), so none is added after this count. */
  private async assertUnused(id: string): Promise<void> {
    const [row] = await this.database.query<{ allotments: number }>(
      `select count(*)::int as allotments from allotments
       where channel_id = $1 and deleted_at is null and (valid_to is null or valid_to >= $2::date)`,
      [id, this.clock.today()],
    );
    if (row && row.allotments > 0) throw conflict('channel_in_use', 'The channel has allotments in force', { ...row });
  }

  private publish(what: 'created' | 'updated', { id, status, version }: Channel): void {
    const data = { channelId: id, status, version };
    this.outbox.add({ channel: 'distribution.channels', event: `channel.${what}`, data });
  }
}

function subjectOf({ id }: Channel) {
  return { subjectType: 'channel', subjectId: id };
}
