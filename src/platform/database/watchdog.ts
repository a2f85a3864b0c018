import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg, { type QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { databaseErrorOf } from '../errors/database-errors.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Database } from './database.js';
import { destroy } from './service-pool.js';

/** Different from all other advisory locks, which have one key and not two. */
const SESSIONS = 7_120_010;
const JOB_WORKERS = 7_120_011;

const EVERY_MS = 500;
const ANSWER_WITHIN_MS = 1_000;
/** A new connection needs a server process and several round trips. */
const CONNECT_WITHIN_MS = 2_000;
const BOOT_WITHIN_MS = 10_000;
const TICK_MS = 100;

/**
 * Probes the database on a separate connection, without the pooler. A statement on a dead network waits for minutes, so if the
 * database does not respond within a second, all callers are rejected at once until it responds again.
 */
@Injectable()
export class Watchdog implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The result of the last probe. Before the first probe it is `ok`, because the boot has used the database. */
  state = { ok: true, milliseconds: 0 };
  /** The key of a lock that lasts as long as this connection: work that began under it may continue. */
  session: number | null = null;
  private client: pg.Client | null = null;
  private readonly locks: QueryConfig[] = [];
  private turn: Promise<unknown> = Promise.resolve();
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const figure = { name: 'db_up', help: 'Whether the database responds (1) or not (0)', aggregator: 'max' } as const;
    metrics.gauge(figure, () => Number(this.state.ok));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.look(BOOT_WITHIN_MS);
    this.watching = this.watch();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    this.hangUp();
  }

  /**
   * Cancels the statements of abandoned server processes. If that fails, their time limits end them. A pooler hides the ids; it
   * closes such a connection, which the server notices (`client_connection_check_interval` in roles.sql).
   */
  cancel(processIds: readonly number[]): void {
    if (processIds.length === 0 || this.env.databaseDirectUrl !== this.env.databaseUrl) return;
    const text = 'select pg_cancel_backend(id) from unnest($1::int[]) as id';
    const { client } = this;
    if (client) this.inTurn(() => client.query(text, [processIds])).catch(() => undefined);
  }

  /** Takes an advisory lock of the session now and after each reconnection, so that it lasts as long as the connection. */
  lockWhileConnected(lock: QueryConfig): void {
    this.locks.push(lock);
    const { client } = this;
    if (client) this.inTurn(() => client.query(lock)).catch(() => undefined);
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.look(this.client ? ANSWER_WITHIN_MS : CONNECT_WITHIN_MS);
    }
  }

  private async look(withinMs: number): Promise<void> {
    const before = this.state.ok;
    const began = performance.now();
    const ok = await this.answers(withinMs);
    this.state = { ok, milliseconds: Math.round(performance.now() - began) };
    if (this.stopping.signal.aborted) return;
    if (ok) {
      if (!before) this.log.info('the database responds again');
      this.database.pool().comeBack();
    } else {
      if (before) this.log.error('the database does not respond: requests that need it are rejected');
      this.database.pool().goAway();
    }
  }

  private async answers(withinMs: number): Promise<boolean> {
    const ok = await answersInTime(withinMs, (timeUp) => this.ask(timeUp));
    if (!ok) this.hangUp();
    return ok;
  }

  /** Perhaps only the connection has failed, so a new one is tried. */
  private async ask(timeUp: AbortSignal): Promise<boolean> {
    const known = this.client;
    if (known && (await this.isHeardBy(known))) return true;
    if (timeUp.aborted) return false;
    this.hangUp();
    const client = this.newClient();
    this.client = client;
    try {
      await client.connect();
      const session = randomInt(1, 2 ** 31);
      await this.inTurn(() => client.query(lockSession(session)));
      for (const lock of this.locks) await this.inTurn(() => client.query(lock));
      // The time limit may have passed in the meantime.
      if (this.client === client) this.session = session;
      return true;
    } catch (error) {
      return isRefusal(error);
    }
  }

  private isHeardBy(client: pg.Client): Promise<boolean> {
    return this.inTurn(() => client.query('select')).then(
      () => true,
      () => false,
    );
  }

  /** Runs one statement at a time on the connection. */
  private inTurn<T>(say: () => Promise<T>): Promise<T> {
    const answer = this.turn.then(say);
    this.turn = answer.catch(() => undefined);
    return answer;
  }

  private newClient(): pg.Client {
    const client = new pg.Client({
      connectionString: this.env.databaseDirectUrl,
      application_name: 'travel-operations-watchdog',
      keepAlive: true,
    });
    // The next probe finds failures.
    client.on('error', () => undefined);
    return client;
  }

  private hangUp(): void {
    if (this.client) destroy(this.client);
    this.client = null;
    this.session = null;
  }
}

/** Returns whether the work returns true within this time; afterwards its signal is aborted. */
async function answersInTime(withinMs: number, work: (timeUp: AbortSignal) => Promise<boolean>): Promise<boolean> {
  const timeUp = new AbortController();
  const answered = await Promise.race([work(timeUp.signal), passed(withinMs, timeUp.signal)]);
  timeUp.abort();
  return answered;
}

/**
 * Resolves to false after this time. The time is counted in small steps, each at most once: while this process is busy, the
 * response may wait in its socket, which is not the database's fault.
 */
async function passed(milliseconds: number, signal: AbortSignal): Promise<false> {
  for (let left = milliseconds; left > 0 && !signal.aborted; left -= TICK_MS) {
    await pause(TICK_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return false;
}

/** A server that rejects this connection (too many connections) is available; one that starts or stops is not. */
function isRefusal(error: unknown): boolean {
  const code = databaseErrorOf(error)?.code;
  return code !== undefined && !code.startsWith('57');
}

/** Locks the session until its connection ends: the only reliable sign that the process or its connection has ended. */
function lockSession(session: number): QueryConfig {
  return { text: 'select pg_try_advisory_lock($1, $2)', values: [SESSIONS, session] };
}

/** SQL: whether the lock of the session in this column is free; null if the column is null. */
export function sessionEnded(column: string): string {
  return `pg_try_advisory_xact_lock_shared(${SESSIONS}, ${column})`;
}

/**
 * Marks a worker of the job queue as alive until the connection ends. The lock is shared: after a reconnection, the lock of
 * the lost connection can remain for a while.
 */
export function lockWorker(worker: string): QueryConfig {
  return { text: 'select pg_advisory_lock_shared($1, hashtext($2))', values: [JOB_WORKERS, worker] };
}

/** SQL: whether no connection marks the worker in this column as alive. */
export function workerEnded(column: string): string {
  return `pg_try_advisory_xact_lock(${JOB_WORKERS}, hashtext(${column}))`;
}
