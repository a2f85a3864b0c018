import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { PoolClient } from 'pg';
import { replicaPoolOptions } from './data-source-options.js';
import {
  ANSWER_WITHIN_MS,
  type DatabaseIdentity,
  IDENTITY,
  monitoringClient,
  type PrimaryPositions,
  SAMPLE_EVERY_MS,
  within,
} from './primary-positions.js';
import { destroy, ServicePool } from './service-pool.js';

/** Why a replica is not used. */
export type ReplicaFault =
  | 'does not respond'
  | 'is not a replica of this database'
  | 'is no longer a replica'
  | 'lags behind'
  | 'cannot be compared with the primary';

const UNUSABLE: ReadonlySet<ReplicaFault> = new Set([
  'does not respond',
  'is not a replica of this database',
  'is no longer a replica',
]);

interface Progress {
  isStandby: boolean;
  /** What it has replayed; null on a server that never was a standby. */
  position: string | null;
}

const PROGRESS = {
  name: 'progress',
  text: `select pg_is_in_recovery() as "isStandby", (pg_last_wal_replay_lsn() - '0/0')::text as position`,
};
/** Distinguishes the server from others behind the same address, and from itself before a restart. */
const SERVER = `pg_postmaster_start_time()::text as server`;
const CONNECTED = `select ${SERVER}, ${IDENTITY}`;

interface Settings {
  readonly url: string;
  readonly poolSize: number;
  readonly maxLagMs: number;
}

/** One replica: its pool, and a connection on which the service asks it how far it is. */
export class Replica {
  /** Host and port. */
  readonly name: string;
  readonly pool: ServicePool;
  /** What it has replayed at least. */
  position = 0n;
  private fault: ReplicaFault | null = 'does not respond';
  /** It has everything that was committed until then. */
  private coveredUntil = -Infinity;
  private client: pg.Client | null = null;
  private identity: (DatabaseIdentity & { server: string }) | null = null;
  private readonly maxLagMs: number;
  private readonly url: string;

  constructor(
    { url, poolSize, maxLagMs }: Settings,
    private readonly primary: PrimaryPositions,
    private readonly onChange: (replica: Replica) => void,
  ) {
    const { hostname, port, searchParams } = new URL(url);
    this.url = url;
    this.maxLagMs = maxLagMs;
    this.name = `${searchParams.get('host') ?? hostname}:${port || '5432'}`;
    const verify = (client: PoolClient, done: (error?: Error) => void) => void this.verify(client).then(done, done);
    // The types of pg do not declare `verify`, which the pool calls for each new connection.
    this.pool = new ServicePool({ ...replicaPoolOptions(url, poolSize), ...({ verify } as object) });
    this.pool.goAway();
  }

  /**
   * Why it is not used now; null: it is. The lag alone is not sufficient: after a crash of the primary, which empties the
   * table of the last writes, it is still that of before.
   */
  get reason(): ReplicaFault | null {
    const { first } = this.primary;
    if (this.fault) return this.fault;
    if (first === null) return 'cannot be compared with the primary';
    return this.position < first || this.lagMs > this.maxLagMs ? 'lags behind' : null;
  }

  /** How much of the past may be missing on it. */
  get lagMs(): number {
    return performance.now() - this.coveredUntil;
  }

  /** Whether another read would have to wait for a connection. */
  get isBusy(): boolean {
    return this.pool.waitingCount > 0;
  }

  /** The order in which replicas are tried for this reader: always the same, and different for others. */
  rankFor(reader: string): number {
    return createHash('sha256').update(`${reader}\n${this.name}`).digest().readUInt32BE();
  }

  /** Asks it how far it is until the signal is aborted. Never rejects. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const fault = await this.look().catch(() => 'does not respond' as const);
      if (!signal.aborted) this.become(fault);
      await pause(SAMPLE_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.disconnect();
    await this.pool.end();
  }

  private become(fault: ReplicaFault | null): void {
    if (fault === 'does not respond') this.disconnect();
    // Statements that are running on a replica that only lags behind may finish.
    if (fault === null) this.pool.comeBack();
    else if (UNUSABLE.has(fault)) this.pool.goAway();
    const before = this.fault;
    this.fault = fault;
    if (before !== fault) this.onChange(this);
  }

  private async look(): Promise<ReplicaFault | null> {
    if (!this.client) await this.connect();
    const { client, identity, primary } = this;
    if (!client || !identity) return 'does not respond';
    const { rows } = await within(ANSWER_WITHIN_MS, client.query<Progress>(PROGRESS));
    const [progress] = rows;
    if (!primary.identity || primary.first === null) return 'cannot be compared with the primary';
    const { system, database } = primary.identity;
    if (identity.system !== system || identity.database !== database) return 'is not a replica of this database';
    if (!progress?.isStandby || progress.position === null) return 'is no longer a replica';
    this.position = BigInt(progress.position);
    this.coveredUntil = Math.max(this.coveredUntil, primary.timeOf(this.position) ?? -Infinity);
    if (this.position < primary.first) return 'lags behind';
    // It is used again when it has clearly caught up: it would otherwise change with each look.
    return this.lagMs > (this.fault === 'lags behind' ? this.maxLagMs / 2 : this.maxLagMs) ? 'lags behind' : null;
  }

  private async connect(): Promise<void> {
    const client = monitoringClient(this.url);
    this.client = client;
    await within(ANSWER_WITHIN_MS, client.connect());
    const { rows } = await within(ANSWER_WITHIN_MS, client.query<DatabaseIdentity & { server: string }>(CONNECTED));
    this.identity = rows[0] ?? null;
  }

  private disconnect(): void {
    if (this.client) destroy(this.client);
    this.client = null;
    this.identity = null;
    this.position = 0n;
    this.coveredUntil = -Infinity;
  }

  /** The position is that of one server: a connection to another one behind the same address is rejected. */
  private async verify(client: PoolClient): Promise<undefined> {
    const { rows } = await client.query<{ server: string }>(`select ${SERVER}`);
    if (rows[0]?.server !== this.identity?.server) throw new Error(`${this.name} leads to several servers`);
  }
}
