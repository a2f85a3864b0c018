import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { destroy } from './service-pool.js';

const AGAIN_AFTER_MS = 500;

/** A connection that hears what is told by NOTIFY under one topic. One that breaks is replaced. */
export class Listening {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private client: pg.Client | null = null;

  constructor(
    private readonly databaseUrl: string,
    private readonly topic: string,
    private readonly hear: (payload: string) => void,
  ) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.client) destroy(this.client);
    await this.running;
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.listenOnce().catch(() => undefined);
      await pause(AGAIN_AFTER_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Until the connection ends. */
  private async listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: 'travel-operations-signals',
      keepAlive: true,
    });
    this.client = client;
    const ended = once(client, 'end');
    // A connection that breaks ends as well; and `once` would take the error for its own.
    ended.catch(() => undefined);
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => this.hear(payload ?? '[]'));
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(this.topic)}`);
      await ended;
    } finally {
      destroy(client);
    }
  }
}
