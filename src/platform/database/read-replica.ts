import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { destroy, replicaPoolOptions, ServicePool } from './service-pool.js';
import { Database } from './database.js';

const EVERY_MS = 500;
/** A replica that does not respond within this time is not used until it responds again. */
const ANSWER_WITHIN_MS = 2_000;

/** The position of a server's write-ahead log: written on the primary, replayed on a replica. */
const PROGRESS = `
  select pg_is_in_recovery() as "isReplica",
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end - '0/0')::text as position,
    (select system_identifier::text from pg_control_system()) || '/' || current_database() as database`;

interface Progress {
  isReplica: boolean;
  position: string;
  database: string;
}

/** The replica of `DATABASE_REPLICA_URL`, for reads that may be some seconds old (docs/adr/0043-stale-reads-and-poolers.md). */
@Injectable()
export class ReadReplica implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Null without a replica. */
  readonly pool: ServicePool | null;
  private fault: string | null = 'does not respond';
  /** The replica has all commits up to this time. */
  private coveredUntil = -Infinity;
  /** The times at which the primary reached positions that the replica has not replayed yet. */
  private marks: { at: number; position: bigint }[] = [];
  private client: pg.Client | null = null;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const { databaseReplicaUrl: url, databasePoolSize: size } = env;
    this.pool = url === null ? null : new ServicePool(replicaPoolOptions(url, size));
    if (url === null) return;
    const usable = { name: 'db_replica_usable', help: 'Whether the replica is used (1) or not (0)' };
    metrics.gauge({ ...usable, aggregator: 'max' }, () => Number(this.reason === null));
    const lag = { name: 'db_replica_lag_seconds', help: 'How much of the past may be missing on the replica' };
    metrics.gauge({ ...lag, aggregator: 'max' }, () => (Number.isFinite(this.lagMs) ? this.lagMs / 1_000 : null));
  }

  /** Reason why the replica is not used now; null if it is used. */
  get reason(): string | null {
    return this.fault ?? (this.lagMs > this.env.databaseReplicaMaxLagMs ? 'lags behind' : null);
  }

  /** Does not wait for the replica: the primary is read until it has answered. */
  onApplicationBootstrap(): void {
    if (this.pool) this.watching = this.watch(this.pool);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private get lagMs(): number {
    return performance.now() - this.coveredUntil;
  }

  private async watch(pool: ServicePool): Promise<void> {
    const { signal } = this.stopping;
    for (let before = this.reason; !signal.aborted;) {
      this.fault = await this.look().catch(() => 'does not respond');
      if (this.fault === null) pool.comeBack();
      else this.forget(pool);
      const { reason } = this;
      if (reason !== before) this.log.warn({ reason }, `the replica is ${reason === null ? '' : 'not '}used for reads`);
      before = reason;
      await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.forget(pool);
    await pool.end();
  }

  private async look(): Promise<string | null> {
    this.client ??= await this.connected();
    const replica = (await this.client.query<Progress>(PROGRESS)).rows[0];
    const at = performance.now();
    const [primary] = await this.database.query<Progress>(PROGRESS);
    if (!replica?.isReplica) return 'is no longer a replica';
    const [replayed, written] = [BigInt(replica.position), BigInt(primary?.position ?? 0)];
    // The primary was asked last, so a replica that is ahead of it follows another server.
    if (replica.database !== primary?.database || replayed > written) return 'is not a replica of this database';
    this.marks.push({ at, position: written });
    this.coveredUntil = this.marks.findLast(({ position }) => position <= replayed)?.at ?? this.coveredUntil;
    this.marks = this.marks.filter(
      (mark) => mark.position > replayed && at - mark.at <= this.env.databaseReplicaMaxLagMs,
    );
    return null;
  }

  private async connected(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.env.databaseReplicaUrl ?? '',
      application_name: 'travel-operations-replica',
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Ends running reads, which are repeated on the primary. */
  private forget(pool: ServicePool): void {
    pool.goAway();
    if (this.client) destroy(this.client);
    this.client = null;
    this.coveredUntil = -Infinity;
    this.marks = [];
  }
}
