import type { DataSource, DataSourceOptions } from 'typeorm';
import type { Socket } from 'node:net';
import pg, { type PoolClient, type PoolConfig } from 'pg';
import { findContext, type RequestContext } from '../context/request-context.js';
import { unavailable } from '../errors/app-error.js';
import type { Env } from '../config/env.js';

/** The pg pool that TypeORM's postgres driver uses; the type of DataSource does not declare it. */
export function poolOf(dataSource: DataSource): ServicePool {
  return (dataSource.driver as unknown as { master: ServicePool }).master;
}

/** The address that the data source connects to. */
export function addressOf({ options }: DataSource): string {
  if (options.type !== 'postgres' || options.url === undefined) throw new Error('The data source has no address');
  return options.url;
}

type Done = (release?: unknown) => void;
type Connected = (error: Error | undefined, client: PoolClient | undefined, done: Done) => void;

/**
 * A pool that knows which request uses each connection, and rejects all callers at once while the database is
 * unavailable.
 */
export class ServicePool extends pg.Pool {
  private isAway = false;
  private readonly members = new Set<PoolClient>();
  private readonly waiting = new Set<(refusal: Error) => void>();
  private readonly holders = new Map<PoolClient, RequestContext | null>();

  constructor(config?: PoolConfig) {
    super(config);
    // A connection that breaks is replaced; without a listener from the start its error would end the process.
    this.on('error', ignore);
    this.on('connect', (client) => {
      client.on('error', ignore);
      closeBeforeParsingAgain(client);
      this.members.add(client);
    });
    this.on('remove', (client) => this.members.delete(client));
    this.on('release', (_error, client) => this.holders.delete(client));
  }

  /**
   * Callers that wait until another one releases its connection. Callers that receive an idle connection in this tick do not
   * count.
   */
  get waitingForReleaseCount(): number {
    return Math.max(0, this.waitingCount - this.idleCount);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (callback) this.lend(callback);
    else
      return new Promise((resolve, reject) => {
        this.lend((error, client) => (client ? resolve(client) : reject(error ?? away())));
      });
  }

  /** Rejects all callers at once, waiting ones included, until `comeBack`, and destroys all connections. */
  goAway(): void {
    this.isAway = true;
    for (const refuse of [...this.waiting]) refuse(away());
    for (const client of this.members) destroy(client);
  }

  comeBack(): void {
    this.isAway = false;
  }

  /**
   * Destroys the connections of a request, so that they are not reused. Returns the ids of their server processes,
   * which do not notice this while they run a statement.
   */
  abandon(context: RequestContext): number[] {
    const held = [...this.holders].filter(([, holder]) => holder === context).map(([client]) => client);
    for (const client of held) destroy(client);
    return held.map(processIdOf);
  }

  private lend(callback: Connected): void {
    if (this.isAway) {
      process.nextTick(callback, away(), undefined, () => undefined);
      return;
    }
    const context = findContext();
    let refused = false;
    const refuse = (refusal: Error) => {
      refused = true;
      this.waiting.delete(refuse);
      callback(refusal, undefined, () => undefined);
    };
    this.waiting.add(refuse);
    super.connect((error, client, done) => {
      this.waiting.delete(refuse);
      if (refused) {
        // The caller of this connection was rejected, and it was opened while the database was unavailable.
        if (client) done(true);
      } else {
        if (client) this.holders.set(client, context);
        callback(error, client, done);
      }
    });
  }
}

function ignore(): void {
  // The statement that uses the connection fails with its own error.
}

function away(): Error {
  return unavailable('The database is unavailable');
}

/**
 * `end()` would wait for the server's response, which may never arrive. The types of pg hide the connection of a
 * client.
 */
export function destroy(client: pg.ClientBase): void {
  (client as unknown as { connection?: { stream: Socket } }).connection?.stream.destroy();
}

interface Preparing {
  parse(statement: { name?: string }): void;
  close(statement: { type: 'S'; name: string }): void;
}

/**
 * A statement that was not prepared, because its transaction had failed or its table was locked, is prepared again under its
 * name by the next caller. PostgreSQL does not know the name then, but PgBouncer does and would end the connection. Closing the
 * name first is correct for both. The types of pg hide the connection of a client.
 */
function closeBeforeParsingAgain(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: Preparing };
  const parse = connection.parse.bind(connection);
  const names = new Set<string>();
  connection.parse = (statement) => {
    const { name } = statement;
    if (name && names.has(name)) connection.close({ type: 'S', name });
    if (name) names.add(name);
    parse(statement);
  };
}

/** Sends everything in one write: each write costs a system call and wakes the server. */
export function inOneWrite<T>(client: pg.ClientBase, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** The value as pg sends it, so that later changes of an array or a date do not change the statement. The types of pg hide it. */
export function valueAsSent(value: unknown): unknown {
  return (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils.prepareValue(value);
}

/** The server process id that was reported to the client; a pooler invents one. The types of pg hide it. */
function processIdOf(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID;
}

const DATE_OID = 1082;

/** Limits of one statement, in milliseconds. A statement that takes longer is cancelled, and the response is 503. */
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const POOL_WAIT_MS = 1_000;

// A calendar day stays text. The driver would convert it to midnight in the time zone of the machine.
pg.types.setTypeParser(DATE_OID, (text) => text);

const CONNECTION_OPTIONS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  connectionTimeoutMillis: POOL_WAIT_MS,
  keepAlive: true,
  // Statements of one connection are sent without waiting for the result of the previous one.
  pipeline: true,
} satisfies PoolConfig;

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

export function dataSourceOptions(env: Pick<Env, 'databaseUrl' | 'databasePoolSize'>): PostgresOptions {
  return {
    type: 'postgres',
    driver: { ...pg, Pool: ServicePool },
    url: env.databaseUrl,
    synchronize: false,
    migrationsRun: false,
    migrationsTransactionMode: 'each',
    poolSize: env.databasePoolSize,
    applicationName: 'travel-operations',
    extra: CONNECTION_OPTIONS,
  };
}

/** A connection with the limits of the service, which a pooler may reject. */
export function connectionOptions(url: string): PoolConfig {
  return { ...CONNECTION_OPTIONS, connectionString: url };
}

/** The pool of a replica. Its connections are read-only even if the server is promoted while they are open. */
export function replicaPoolOptions(url: string, size: number): PoolConfig {
  return {
    ...CONNECTION_OPTIONS,
    connectionString: url,
    max: size,
    application_name: 'travel-operations-reads',
    options: '-c default_transaction_read_only=on',
  };
}
