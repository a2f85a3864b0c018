import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { channelRetentionLimit, KEPT_MESSAGES, retentionLimit } from './message.js';

/** Messages of a channel to delete: those up to this number. */
interface Drop {
  channelId: string;
  upToSeq: string;
}

const BATCH = 1_000;

const OLD = `
  select channel_id as "channelId", max(seq) as "upToSeq"
  from (select channel_id, seq from realtime_messages where published_at <= $1 order by published_at limit $2) as old
  group by channel_id`;

const SURPLUS = `
  select id as "channelId", least(last_seq - $1, oldest_seq + $2 - 1) as "upToSeq"
  from realtime_channels where last_seq - oldest_seq >= $1 limit 1`;

/** Publishers lock the rows of their channels. The job skips locked channels instead of waiting. */
const EMPTY = `
  delete from realtime_channels where id in (
    select id from realtime_channels where last_published_at <= $1 and oldest_seq > last_seq limit $2
    for update skip locked)`;

/**
 * Deletes messages older than 72 hours and all but the newest 10,000 of a channel, and channels that have been empty for long.
 * Readers do not depend on the job, because they omit these messages anyway.
 */
@Injectable()
export class MessageJobs {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Deletes in batches of about a thousand, each in its own transaction. */
  @Cron('realtime.retention', '*/5 * * * *')
  async purge(): Promise<void> {
    const now = this.clock.now();
    const limit = retentionLimit(now);
    while (await this.drop(await this.database.query<Drop>(OLD, [limit, BATCH])));
    while (await this.drop(await this.database.query<Drop>(SURPLUS, [KEPT_MESSAGES, BATCH])));
    while ((await this.deleteEmpty(channelRetentionLimit(now))) === BATCH);
  }

  /** Runs in a transaction that is repeated after a deadlock, because the triggers lock each publisher's number of channels. */
  private async deleteEmpty(limit: Date): Promise<number> {
    const { count } = await this.database.transaction(() => this.database.execute(EMPTY, [limit, BATCH]));
    return count;
  }

  /** Channels are locked in name order, as publishers lock them. Returns false if there was nothing to delete. */
  private async drop(drops: Drop[]): Promise<boolean> {
    if (drops.length === 0) return false;
    const values = [drops.map(({ channelId }) => channelId), drops.map(({ upToSeq }) => upToSeq)];
    await this.database.transaction(async () => {
      await this.database.query('select from realtime_channels where id = any ($1) order by name for update', [
        values[0],
      ]);
      await this.database.query(
        `delete from realtime_messages as message
         using unnest($1::bigint[], $2::bigint[]) as lost (channel_id, up_to_seq)
         where message.channel_id = lost.channel_id and message.seq <= lost.up_to_seq`,
        values,
      );
      await this.database.query(
        `update realtime_channels as channel set oldest_seq = greatest(oldest_seq, lost.up_to_seq + 1)
         from unnest($1::bigint[], $2::bigint[]) as lost (channel_id, up_to_seq)
         where channel.id = lost.channel_id`,
        values,
      );
    });
    return true;
  }
}
