import { setTimeout as pause } from 'node:timers/promises';
import pg, { type QueryConfig } from 'pg';
import { destroy } from './service-pool.js';
import type { Statement } from './statement.js';
import { passed } from './watchdog.js';

/** Interval at which the service asks primary and replicas how far they are. */
export const SAMPLE_EVERY_MS = 100;
/** A server that does not answer within this time is not used until it answers again. */
export const ANSWER_WITHIN_MS = 1_000;
const PRUNE_EVERY_MS = 60_000;

/** Identifies a database; its replicas have the same identity. */
export interface DatabaseIdentity {
  readonly system: string;
  readonly database: string;
}

/** SQL: the identity of the database that is connected to. */
export const IDENTITY = `
  (select system_identifier::text from pg_control_system()) as system,
  (select oid::text from pg_database where datname = current_database()) as database`;

const CONNECTED = `select (pg_current_wal_insert_lsn() - '0/0')::text as position, ${IDENTITY}`;

/** What replicas can have received: an acknowledged commit is flushed, unless `synchronous_commit` is off. */
const SAMPLE = { name: 'sample', text: `select (pg_current_wal_flush_lsn() - '0/0')::text as position` };

const LAST_WRITES = {
  name: 'last_writes',
  text: `select who, (wal_position - '0/0')::text as position
    from unnest($1::text[]) as who join write_positions on writer = hashtextextended(who, 0)`,
};

/**
 * Positions are kept longer than any replica may lag behind (`DATABASE_REPLICA_MAX_LAG_MS` is at most a minute): every
 * replica that is used has replayed older ones.
 */
const PRUNE = `delete from write_positions where written_at < now() - interval '5 minutes'`;

/** Sent after a commit: the position that a replica must have replayed before it is used for reads of this writer. */
export function recordWrite(writer: string): Statement {
  return {
    name: 'record_write',
    text: `insert into write_positions (writer, wal_position)
      values (hashtextextended($1, 0), pg_current_wal_insert_lsn())
      on conflict (writer) do update set written_at = excluded.written_at,
        wal_position = greatest(write_positions.wal_position, excluded.wal_position)`,
    values: [writer],
  };
}

interface Batch {
  readonly writers: Set<string>;
  readonly positions: Promise<ReadonlyMap<string, bigint>>;
}

/**
 * How far the write-ahead log of the primary is, and where each writer wrote last, over a connection of its own.
 *
 * A crash empties the table of the last writes, and a failover may lead to a server that never had them; both end this
 * connection. So each connection begins with a position that a replica must have reached before any caller may use it.
 */
export class PrimaryPositions {
  /** The database, while it is connected. */
  identity: DatabaseIdentity | null = null;
  /** No replica is used that has not replayed this position; null while the primary is not connected. */
  first: bigint | null = null;
  /** When the position was that of the primary, ascending, for as long as a replica may lag behind. */
  private samples: { at: number; position: bigint }[] = [];
  private client: pg.Client | null = null;
  private nextBatch: Batch | null = null;
  private lastBatch: Promise<unknown> = Promise.resolve();
  private prunedAt = performance.now();

  constructor(
    private readonly url: string,
    private readonly maxLagMs: number,
  ) {}

  /** Samples the primary until the signal is aborted. Never rejects. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch(() => this.disconnect());
      await pause(SAMPLE_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.disconnect();
  }

  /**
   * The time at which the primary was known to be at this position or before it: a replica that has replayed it has all
   * that was committed until then. Null if that is too long ago, or the connection is newer.
   */
  timeOf(position: bigint): number | null {
    if (this.first === null || position < this.first) return null;
    return this.samples.findLast((sample) => sample.position <= position)?.at ?? null;
  }

  /**
   * The position of the last write of any of these writers that any process has answered before this call. Calls that
   * arrive while a query is running share the next one. Rejects without a connection.
   */
  async lastWriteOf(writers: readonly string[]): Promise<bigint> {
    this.nextBatch ??= this.newBatch();
    const { nextBatch: batch } = this;
    for (const writer of writers) batch.writers.add(writer);
    const positions = await batch.positions;
    return writers.reduce((last, writer) => later(last, positions.get(writer) ?? 0n), 0n);
  }

  private newBatch(): Batch {
    const writers = new Set<string>();
    const positions = this.lastBatch.then(() => {
      // The answer must include what was written before the call, so later callers need another query.
      this.nextBatch = null;
      return this.query<{ who: string; position: string }>({ ...LAST_WRITES, values: [[...writers]] });
    });
    const batch = {
      writers,
      positions: positions.then((rows) => new Map(rows.map(({ who, position }) => [who, BigInt(position)]))),
    };
    this.lastBatch = batch.positions.catch(() => undefined);
    return batch;
  }

  private async look(): Promise<void> {
    if (!this.client) await this.connect();
    const at = performance.now();
    const [row] = await within(ANSWER_WITHIN_MS, this.query<{ position: string }>(SAMPLE));
    if (row) this.keep({ at, position: BigInt(row.position) });
    if (at - this.prunedAt > PRUNE_EVERY_MS) {
      this.prunedAt = at;
      await within(ANSWER_WITHIN_MS, this.query({ text: PRUNE }));
    }
  }

  private keep(sample: { at: number; position: bigint }): void {
    const last = this.samples.at(-1);
    // The log never becomes shorter: this is another server now.
    if (last && sample.position < last.position) throw new Error('The primary has lost a part of its log');
    const oldest = sample.at - this.maxLagMs - SAMPLE_EVERY_MS;
    this.samples = this.samples.filter(({ at }) => at >= oldest);
    this.samples.push(sample);
  }

  private async connect(): Promise<void> {
    const client = monitoringClient(this.url);
    this.client = client;
    client.once('end', () => this.client === client && this.disconnect());
    await within(ANSWER_WITHIN_MS, client.connect());
    const [row] = await within(
      ANSWER_WITHIN_MS,
      this.query<DatabaseIdentity & { position: string }>({ text: CONNECTED }),
    );
    if (!row) throw new Error('The primary has no position');
    this.identity = { system: row.system, database: row.database };
    this.first = BigInt(row.position);
  }

  private disconnect(): void {
    if (this.client) destroy(this.client);
    this.client = null;
    this.identity = null;
    this.first = null;
    this.samples = [];
  }

  private async query<Row extends object>(statement: QueryConfig): Promise<Row[]> {
    const { client } = this;
    if (!client) throw new Error('The primary is not connected');
    const { rows } = await client.query<Row>(statement);
    return rows;
  }
}

/** A connection that only monitors. Its failures are found by the next query. */
export function monitoringClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'travel-operations-replicas',
    keepAlive: true,
    pipeline: true,
  });
  client.on('error', () => undefined);
  return client;
}

/** Rejects after that time. */
export async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const timeUp = new AbortController();
  const tooLate = passed(milliseconds, timeUp.signal).then(() => {
    throw new Error('The server does not answer');
  });
  // Whichever is later may reject, and nothing waits for it.
  tooLate.catch(() => undefined);
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    timeUp.abort();
  }
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
