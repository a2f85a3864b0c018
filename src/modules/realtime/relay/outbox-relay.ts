import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { InterruptiblePause } from '../../../platform/clock/interruptible-pause.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { PLATFORM } from '../messages/message.js';
import { MessagesRepository } from '../messages/messages.repository.js';

interface OutboxRow {
  sequence: string;
  id: string;
  channel: string;
  event: string;
  data: Record<string, unknown>;
  createdAt: Date;
}

/** Only one process on this database relays at a time, because two batches could overtake each other. */
const LOCK_KEY = 7_120_002;
const LOCK = 'select pg_try_advisory_xact_lock($1) as taken';
const BATCH = 500;
const BATCH_EVERY_MS = 20;
const SOON_MS = 20;
const IDLE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * A sequence number is assigned before the commit, so a higher number can become visible before a lower one. Reads only the
 * events that no running transaction can precede.
 */
const SETTLED = `
  select sequence, id, channel, event, data, created_at as "createdAt" from outbox_events
  where transaction_id < pg_snapshot_xmin(pg_current_snapshot())
  order by sequence limit $1`;

/**
 * Publishes the events of committed transactions to their channels, in order and at least once: the message carries the event's
 * id, by which consumers recognize duplicates. Publishes events of this process at once, events of other processes at the next
 * poll.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly waiting = new InterruptiblePause();
  private running: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly outbox: Outbox,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.jobs) return;
    this.outbox.onCommitted(() => this.waiting.interrupt());
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.waiting.interrupt();
    await this.running;
  }

  /** Never rejects: if the database is unavailable, it retries with increasing delays. */
  private async run(): Promise<void> {
    let pauseMs = SOON_MS;
    let failures = 0;
    while (!this.stopping) {
      try {
        const published = await this.publishSettled();
        failures = 0;
        if (published === BATCH) continue;
        // Waits, to publish several events in one batch: a batch costs as much as several changes.
        if (published > 0) await pause(BATCH_EVERY_MS);
        // An older transaction that is still running can delay an event that was just committed.
        pauseMs = published > 0 ? SOON_MS : Math.min(pauseMs * 2, IDLE_MS);
      } catch (error) {
        failures += 1;
        pauseMs = Math.min(IDLE_MS * 2 ** failures, LONGEST_PAUSE_MS);
        this.log.warn({ err: error, failures, pauseMs }, 'cannot relay the outbox; will retry');
      }
      if (await this.waiting.wait(pauseMs)) pauseMs = SOON_MS;
    }
  }

  /** Publishes one batch. Returns the number of events, `BATCH` if more may wait, and 0 while another process relays. */
  private async publishSettled(): Promise<number> {
    return this.database.transaction(async () => {
      const [[lock], settled] = await this.database.together(() =>
        Promise.all([
          this.database.prepared<{ taken: boolean }>('outbox-lock', LOCK, [LOCK_KEY]),
          this.database.prepared<OutboxRow>('outbox-settled', SETTLED, [BATCH]),
        ]),
      );
      if (!lock?.taken || settled.length === 0) return 0;
      const events = await this.outbox.acceptable(settled);

      await this.messages.append(
        events.map(({ id, channel, event, data }) => ({
          channel,
          event,
          data: { id, ...data },
          publishedBy: PLATFORM,
        })),
      );
      await this.outbox.handOn(events);
      await this.database.write({
        name: 'outbox-delete',
        text: 'delete from outbox_events where sequence = any ($1::bigint[])',
        values: [events.map(({ sequence }) => sequence)],
      });
      return events.length < settled.length ? BATCH : events.length;
    });
  }
}
