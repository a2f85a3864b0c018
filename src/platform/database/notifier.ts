import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import { Env } from '../config/env.js';
import { Database } from './database.js';
import { destroy } from './service-pool.js';

const SEND_EVERY_MS = 20;
const RECONNECT_AFTER_MS = 500;
/** PostgreSQL accepts less than 8,000 bytes per notification. */
const MAX_PAYLOAD_BYTES = 7_000;

/** Receives the notifications of one channel, from all processes on this database, this one included. */
export interface Subscriber {
  onNotification(key: string, sequence: number): void;
  /** Called when a new connection is listening. Notifications sent while there was no connection are lost. */
  onConnect?(): void;
}

type Notification = readonly [key: string, sequence: number];

/**
 * Notifies all processes on this database by NOTIFY and LISTEN. Notifications are fast but may be lost, so subscribers
 * must also read the database at an interval.
 *
 * NOTIFY takes a lock on the whole server until its transaction commits, so it is never part of a transaction of the
 * application: at most every 20 ms, one statement sends all notifications since the last one.
 */
@Injectable()
export class Notifier implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscribers = new Map<string, Subscriber>();
  private readonly unsent = new Map<string, Map<string, number>>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private client: pg.Client | null = null;
  private listening: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly env: Env,
  ) {}

  /** Call it in `onModuleInit`: the connection is opened when all modules are initialized. */
  subscribe(channel: string, subscriber: Subscriber): void {
    if (this.subscribers.has(channel)) throw new Error(`The channel ${channel} has a subscriber already`);
    this.subscribers.set(channel, subscriber);
  }

  /**
   * Sends a notification after the commit of the running transaction, or soon if there is none. Among unsent notifications with
   * the same key only the one with the highest sequence is sent.
   */
  notify(channel: string, key: string, sequence = 0): void {
    this.database.afterCommit(() => {
      const sequences = this.unsent.get(channel) ?? new Map<string, number>();
      this.unsent.set(channel, sequences);
      sequences.set(key, Math.max(sequence, sequences.get(key) ?? 0));
    });
  }

  /** The timer is started here and not by a notification, because it would run in the context of that request. */
  onModuleInit(): void {
    this.timer = setInterval(() => void this.send(), SEND_EVERY_MS).unref();
  }

  onApplicationBootstrap(): void {
    if (this.subscribers.size > 0) this.listening = this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    if (this.client) destroy(this.client);
    await this.listening;
  }

  private async send(): Promise<void> {
    if (this.unsent.size === 0) return;
    const messages = [...this.unsent].flatMap(([channel, sequences]) =>
      payloadsOf([...sequences]).map((payload) => [channel, payload] as const),
    );
    this.unsent.clear();
    // A lost notification is found when the subscribers read the database; the watchdog reports that it is unavailable.
    await this.database
      .query('select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as message (channel, payload)', [
        messages.map(([channel]) => channel),
        messages.map(([, payload]) => payload),
      ])
      .catch(() => undefined);
  }

  /** Never rejects. */
  private async listen(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.listenUntilDisconnected().catch(() => undefined);
      await pause(RECONNECT_AFTER_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Uses a connection to the server itself, because LISTEN belongs to one session, and a pooler would drop it. */
  private async listenUntilDisconnected(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.env.databaseDirectUrl,
      application_name: 'travel-operations-notifier',
      keepAlive: true,
    });
    this.client = client;
    const ended = once(client, 'end');
    // `once` also rejects on 'error'; a connection with an error ends as well.
    ended.catch(() => undefined);
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => this.receive(channel, payload));
    try {
      await client.connect();
      for (const channel of this.subscribers.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      for (const subscriber of this.subscribers.values()) subscriber.onConnect?.();
      await ended;
    } finally {
      destroy(client);
    }
  }

  private receive(channel: string, payload = '[]'): void {
    const subscriber = this.subscribers.get(channel);
    for (const [key, sequence] of JSON.parse(payload) as Notification[]) subscriber?.onNotification(key, sequence);
  }
}

/** The notifications as JSON, in as many payloads as their size needs. */
function payloadsOf(notifications: Notification[]): string[] {
  const payload = JSON.stringify(notifications);
  if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES || notifications.length === 1) return [payload];
  const half = Math.ceil(notifications.length / 2);
  return [...payloadsOf(notifications.slice(0, half)), ...payloadsOf(notifications.slice(half))];
}
