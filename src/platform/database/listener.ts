import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Env } from '../config/env.js';
import { destroy } from './service-pool.js';

const BETWEEN_ATTEMPTS_MS = 1_000;

/** Hears what other processes tell by NOTIFY, on a connection of its own: a pooler would swallow it. */
@Injectable()
export class Listener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly hearers = new Map<string, () => void>();
  private readonly stopping = new AbortController();
  private client: pg.Client | null = null;
  private listening: Promise<void> = Promise.resolve();

  constructor(private readonly env: Env) {}

  /** Call it in `onModuleInit`. Is called after each new connection too, as something may have been missed. */
  hear(channel: string, hear: () => void): void {
    this.hearers.set(channel, hear);
  }

  onApplicationBootstrap(): void {
    if (this.hearers.size > 0) this.listening = this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    if (this.client) destroy(this.client);
    await this.listening;
  }

  private async listen(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.hearUntilItBreaks().catch(() => undefined);
      await pause(BETWEEN_ATTEMPTS_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async hearUntilItBreaks(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.env.databaseUrl,
      application_name: 'travel-operations-listener',
      keepAlive: true,
    });
    this.client = client;
    const broken = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', ({ channel }) => this.hearers.get(channel)?.());
    await Promise.race([client.connect(), broken]);
    for (const channel of this.hearers.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    for (const hear of this.hearers.values()) hear();
    await broken;
  }
}
