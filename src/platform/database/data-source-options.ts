import pg, { type PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Env } from '../config/env.js';
import { ServicePool } from './service-pool.js';

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
