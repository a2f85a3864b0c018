import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { MessageLog } from '../messages/message-log.js';
import { Bell } from './bell.js';

interface OutboxRow {
  sequence: string;
  id: string;
  channel: string;
  event: string;
  data: Record<string, unknown>;
}

/** Among all processes on this database one relays at a time, or two batches could overtake each other. */
const LOCK_KEY = 7_120_002;
const BATCH = 500;
const SOON_MS = 20;
const IDLE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * A sequence is handed out before the commit, so a later number may be there before an earlier one. Only what no running
 * transaction can precede any more is read; the rest waits for the next look.
 */
const SETTLED = `
  select sequence, id, channel, event, data from outbox_events
  where transaction_id < pg_snapshot_xmin(pg_current_snapshot())
  order by sequence limit $1`;

/**
 * Publishes the events of committed transactions to their channels, in order and at least once: the message carries the
 * event's id, by which a consumer knows it again. Events of this process are published at once, those of others when
 * the relay looks again.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly bell = new Bell();
  private running: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly messages: MessageLog,
    private readonly outbox: Outbox,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.jobs) return;
    this.outbox.onCommitted(() => this.bell.ring());
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.bell.ring();
    await this.running;
  }

  /** Never rejects: without a database it tries again, at growing distances. */
  private async run(): Promise<void> {
    let pauseMs = SOON_MS;
    let failures = 0;
    while (!this.stopping) {
      try {
        const published = await this.publishSettled();
        failures = 0;
        if (published === BATCH) continue;
        // What was committed just now may be held back for a moment by a transaction that began before it.
        pauseMs = published > 0 ? SOON_MS : Math.min(pauseMs * 2, IDLE_MS);
      } catch (error) {
        failures += 1;
        pauseMs = Math.min(IDLE_MS * 2 ** failures, LONGEST_PAUSE_MS);
        this.log.warn({ err: error, failures, pauseMs }, 'the outbox could not be relayed; its events wait');
      }
      if (await this.bell.wait(pauseMs)) pauseMs = SOON_MS;
    }
  }

  /** Moves one batch from the outbox to its channels. Returns how many events that were; none while another relays. */
  private async publishSettled(): Promise<number> {
    return this.database.transaction(async () => {
      const [lock] = await this.database.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
        LOCK_KEY,
      ]);
      const events = lock?.taken ? await this.database.query<OutboxRow>(SETTLED, [BATCH]) : [];
      if (events.length === 0) return 0;

      await this.messages.append(
        events.map(({ id, channel, event, data }) => ({ channel, event, data: { id, ...data } })),
      );
      await this.outbox.handOn(events);
      await this.database.execute('delete from outbox_events where sequence = any ($1::bigint[])', [
        events.map(({ sequence }) => sequence),
      ]);
      return events.length;
    });
  }
}
