import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { QueryResult } from 'pg';
import type { Logger } from 'pino';
import type { ObjectLiteral } from 'typeorm';
import { Env } from '../config/env.js';
import { findContext, type RequestContext } from '../context/request-context.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Database } from './database.js';
import { PrimaryPositions, recordWrite } from './primary-positions.js';
import type { Replication } from './replication.js';
import { Replica } from './replica.js';
import { inOneWrite, type ServicePool } from './service-pool.js';
import type { Statement } from './statement.js';
import type { FollowingStatement } from './transaction-state.js';

type Answer = QueryResult<ObjectLiteral>;

const READS = /^\s*(?:select|with)\b/i;
/**
 * A statement that begins like this and contains one of these may write. A replica rejects writes, and they are then repeated on
 * the primary; but its advisory locks would be its own.
 */
const MAY_WRITE =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|update|for\s+(?:key\s+)?share|nextval|setval|set_config|pg_notify|pg_cancel_backend|pg_(?:try_)?advisory_\w+)\b/i;
/** The statement would have written, which only the server knew. */
const READ_ONLY_TRANSACTION = '25006';

/**
 * Sends the reads of requests to replicas (`DATABASE_REPLICA_URLS`), and lets each writer read its own writes
 * (docs/adr/0030-reads-on-replicas.md).
 *
 * A request that may read from a replica (`ReadsFrom`) gets one for all its statements outside of transactions and for its
 * snapshots: the first in the reader's own order that has replayed the reader's last write. After any failure, a transaction
 * or a write the rest of the request reads from the primary, which is ahead of every replica, so within a request later
 * reads never see older data.
 */
@Injectable()
export class ReadReplicas implements Replication, OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly primary: PrimaryPositions;
  private readonly replicas: Replica[];
  private readonly chosen = new WeakMap<RequestContext, Promise<Replica | null>>();
  private readonly abandoned = new WeakSet<RequestContext>();
  private readonly primaryOnly = new AsyncLocalStorage<true>();
  private readonly stopping = new AbortController();
  private watching: Promise<unknown> = Promise.resolve();
  private readonly counted: { primary: { inc(): void }; replica: { inc(): void }; repeated: { inc(): void } } | null;

  constructor(
    private readonly database: Database,
    env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const { databaseReplicaUrls: urls, databaseReplicaPoolSize: poolSize, databaseReplicaMaxLagMs: maxLagMs } = env;
    this.primary = new PrimaryPositions(env.databaseDirectUrl, maxLagMs);
    const onChange = (replica: Replica) => this.report(replica);
    this.replicas = urls.map((url) => new Replica({ url, poolSize, maxLagMs }, this.primary, onChange));
    this.counted = urls.length > 0 ? this.countedBy(metrics) : null;
  }

  onModuleInit(): void {
    if (this.replicas.length > 0) this.database.replicateBy(this);
  }

  /** Does not wait for the replicas: until they have answered, the primary is read. */
  onApplicationBootstrap(): void {
    const { signal } = this.stopping;
    const watched = this.replicas.length > 0 ? [this.primary, ...this.replicas] : [];
    this.watching = Promise.all(watched.map((one) => one.watch(signal)));
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  /** For `/health/ready`; null: there are none. The process is ready without them. */
  state(): { ok: boolean; replicas: Record<string, string> } | null {
    if (this.replicas.length === 0) return null;
    const reasons = this.replicas.map(({ name, reason }) => [name, reason ?? 'ok'] as const);
    return { ok: reasons.every(([, reason]) => reason === 'ok'), replicas: Object.fromEntries(reasons) };
  }

  async run(statement: Statement, onPrimary: () => Promise<Answer>): Promise<Answer> {
    const context = findContext();
    if (!context) return onPrimary();
    const { text } = statement;
    if (!READS.test(text) || MAY_WRITE.test(text)) return this.write(context, statement, onPrimary);
    return this.readIn(
      context,
      (pool) => pool.query<ObjectLiteral>(statement),
      (error) => (isOfReadOnly(error) ? this.write(context, statement, onPrimary) : onPrimary()),
    );
  }

  async read<T>(onReplica: (pool: ServicePool) => Promise<T>, onPrimary: () => Promise<T>): Promise<T> {
    const context = findContext();
    return context ? this.readIn(context, onReplica, onPrimary) : onPrimary();
  }

  onPrimary<T>(work: () => T): T {
    return this.primaryOnly.run(true, work);
  }

  /** The rest of the request reads what the transaction has written. */
  beginTransaction(): FollowingStatement | null {
    const context = findContext();
    if (!context) return null;
    this.readFromPrimary(context);
    const writer = writerOf(context);
    if (writer === null) return null;
    const statement = recordWrite(writer);
    return { statement, onFailure: (error) => this.recordAgain(statement, error) };
  }

  /** Otherwise other processes could let the writer read from a replica without the write. */
  private async recordAgain(statement: Statement, error: unknown): Promise<void> {
    try {
      await this.database.pool().query(statement);
    } catch {
      this.log.error({ err: error }, 'the position of a write was not recorded: its writer may read older data');
    }
  }

  abandon(context: RequestContext): void {
    this.abandoned.add(context);
    for (const { pool } of this.replicas) pool.abandon(context);
  }

  /** The position is recorded in the same round trip. */
  private async write(
    context: RequestContext,
    statement: Statement,
    onPrimary: () => Promise<Answer>,
  ): Promise<Answer> {
    const record = this.beginTransaction();
    if (!record) return onPrimary();
    const client = await this.database.pool().connect();
    let failure: Error | undefined;
    try {
      const [answer, recorded] = inOneWrite(client, () => [
        client.query<ObjectLiteral>(statement),
        client.query(record.statement).catch(record.onFailure),
      ]);
      await Promise.allSettled([answer, recorded]);
      return await answer;
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /**
   * Whatever error a replica returns, the primary decides what the client gets: a replica may be slow, stopped, or cancel a
   * statement. `onPrimary` gets the error.
   */
  private async readIn<T>(
    context: RequestContext,
    onReplica: (pool: ServicePool) => Promise<T>,
    onPrimary: (error?: unknown) => Promise<T>,
  ): Promise<T> {
    if (!context.mayReadFromReplica || this.primaryOnly.getStore()) return onPrimary();
    const replica = await this.replicaOf(context);
    if (!replica || replica.reason !== null) {
      this.readFromPrimary(context);
      this.counted?.primary.inc();
      return onPrimary();
    }
    try {
      const answer = await onReplica(replica.pool);
      this.counted?.replica.inc();
      return answer;
    } catch (error) {
      // Its client has got an answer, and the connection was destroyed for it.
      if (this.abandoned.has(context)) throw error;
      this.readFromPrimary(context);
      this.counted?.repeated.inc();
      const { code, message } = error as { code?: string; message?: string };
      this.log.debug({ code, reason: message }, 'a read of a replica failed and is repeated on the primary');
      return onPrimary(error);
    }
  }

  private readFromPrimary(context: RequestContext): void {
    this.chosen.set(context, Promise.resolve(null));
  }

  private replicaOf(context: RequestContext): Promise<Replica | null> {
    const known = this.chosen.get(context);
    if (known) return known;
    const choice = this.choose(context).catch(() => null);
    this.chosen.set(context, choice);
    return choice;
  }

  private async choose(context: RequestContext): Promise<Replica | null> {
    if (!this.replicas.some(({ reason }) => reason === null)) return null;
    const readers = readersOf(context);
    const written = readers.length > 0 ? await this.primary.lastWriteOf(readers) : 0n;
    const suitable = this.replicas.filter(({ reason, position }) => reason === null && position >= written);
    const free = suitable.filter(({ isBusy }) => !isBusy);
    const [reader = context.serverRequestId] = readers;
    return (free.length > 0 ? free : suitable).reduce<Replica | null>(
      (best, one) => (best && best.rankFor(reader) >= one.rankFor(reader) ? best : one),
      null,
    );
  }

  private report(replica: Replica): void {
    const { name, reason } = replica;
    if (reason === null) this.log.info({ replica: name }, 'the replica is used for reads');
    else this.log.warn({ replica: name, reason }, 'the replica is not used for reads');
  }

  private countedBy(metrics: Metrics): NonNullable<ReadReplicas['counted']> {
    const reads = metrics.counter({
      name: 'db_reads_total',
      help: 'Statements and snapshots of requests that may read from a replica, by the server that answered',
      labelNames: ['server'],
    });
    const repeated = metrics.counter({
      name: 'db_replica_reads_repeated_total',
      help: 'Statements and snapshots that failed on a replica and were repeated on the primary',
    });
    const usable = { name: 'db_replica_usable', help: 'Whether the replica is used (1) or not (0)' };
    metrics.gaugeOf({ ...usable, label: 'replica' }, () =>
      this.replicas.map(({ name, reason }) => [name, Number(!reason)]),
    );
    const lag = { name: 'db_replica_lag_seconds', help: 'How much of the past may be missing on the replica' };
    metrics.gaugeOf({ ...lag, label: 'replica' }, () =>
      this.replicas.filter(({ lagMs }) => Number.isFinite(lagMs)).map(({ name, lagMs }) => [name, lagMs / 1000]),
    );
    return { primary: reads.labels('primary'), replica: reads.labels('replica'), repeated };
  }
}

function isOfReadOnly(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === READ_ONLY_TRANSACTION;
}

/** A caller without a credential is known by its address only. The service itself reads from the primary. */
function writerOf({ actor, client }: RequestContext): string | null {
  return actor ? (actor.type === 'system' ? null : actor.principal) : client?.address || null;
}

/**
 * All credentials of a caller have the same principal: a token that was just exchanged for another one reads what the first
 * one wrote. A login has no credential yet, so its session also reads what its address wrote.
 */
function readersOf({ actor, client }: RequestContext): string[] {
  return [...(actor ? [actor.principal] : []), ...(client?.address ? [client.address] : [])];
}
