import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';
import {
  CONFIGURATION_EXIT_CODE,
  ConfigurationError,
  DatabaseUnavailableError,
  UNAVAILABLE_EXIT_CODE,
} from '../platform/config/configuration-error.js';
import type { Env } from '../platform/config/env.js';
import { readEnv, readMigrationEnv } from '../platform/config/read-env.js';
import { settings } from '../platform/config/table.js';

type DatabaseSettings = Pick<Env, 'databaseUrl' | 'databasePoolSize'>;
/** The setting with the address, for messages. */
type DatabaseVariable = 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'MIGRATION_DATABASE_URL';

const OLDEST_POSTGRES = 150_000;
const CONNECT_ATTEMPTS = 10;
const BETWEEN_ATTEMPTS_MS = 500;
const EXAMINING_CONNECTIONS = 1;

/** Reads the environment, completed by a `.env` file in the working folder. Throws ConfigurationError. */
export function readProcessEnv(): Env {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readEnv(process.env);
}

/** Reads only the settings of a migration, from the same variables. Throws ConfigurationError. */
export function readMigrationSettings(): ReturnType<typeof readMigrationEnv> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readMigrationEnv(process.env);
}

/**
 * Returns the faults instead of throwing an error. `productionDatabase` is the database that must also be examined; it is null
 * except in production, and for a faulty or unencrypted address, which must not receive the password.
 */
export function examineProcessEnv(): {
  env: Env | null;
  faults: string[];
  productionDatabase: DatabaseSettings | null;
} {
  let env: Env | null = null;
  const faults: string[] = [];
  try {
    env = readProcessEnv();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    faults.push(...error.faults);
  }
  const { NODE_ENV: mode, DATABASE_URL: url = '' } = process.env;
  const isUsable = url.trim() !== '' && !faults.some((fault) => fault.startsWith('DATABASE_URL: '));
  if (mode?.trim() !== 'production' || !isUsable) return { env, faults, productionDatabase: null };
  const databaseUrl = settings.databaseUrl.parse(url.trim());
  return { env, faults, productionDatabase: { databaseUrl, databasePoolSize: EXAMINING_CONNECTIONS } };
}

/**
 * Connects to the configured database. Throws ConfigurationError with a remedy if the service cannot use it, and
 * DatabaseUnavailableError if it cannot be reached.
 */
export async function connect(env: DatabaseSettings, variable: DatabaseVariable = 'DATABASE_URL'): Promise<DataSource> {
  const dataSource = await initialized(env, variable);
  try {
    const version = `select current_setting('server_version_num')::int as version`;
    const [row] = await dataSource.query<{ version: number }[]>(version);
    if (!row || row.version < OLDEST_POSTGRES) {
      throw new ConfigurationError([`${variable}: the server is too old; expected PostgreSQL 15 or newer`]);
    }
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/**
 * Runs the process. Faults of the configuration end it with exit code 78 and one line each, an unavailable database with 75;
 * both without a stack.
 */
export async function runProcess(work: () => Promise<void>): Promise<void> {
  endOnSignals();
  try {
    await work();
  } catch (error) {
    const { text, exitCode } = endOf(error);
    process.stderr.write(`${text}\n`);
    process.exit(exitCode);
  }
}

/** Returns the printed text of an error that ends the process, and its exit code. */
export function endOf(error: unknown): { text: string; exitCode: number } {
  if (error instanceof ConfigurationError) {
    const faults = error.faults.map((fault) => `  ${fault}`).join('\n');
    return { text: `The configuration has faults:\n${faults}`, exitCode: CONFIGURATION_EXIT_CODE };
  }
  if (error instanceof DatabaseUnavailableError) {
    return { text: `The database is unavailable:\n  ${error.fault}`, exitCode: UNAVAILABLE_EXIT_CODE };
  }
  return { text: stackOf(error), exitCode: 1 };
}

/**
 * Ends the process on a signal, as the system does, until `work` stops on signals by itself. In a container the process has the
 * id 1, and the system ignores signals that such a process does not handle.
 */
function endOnSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}

/** Retries for some seconds while the server is starting, full or slow. */
async function initialized(env: DatabaseSettings, variable: DatabaseVariable): Promise<DataSource> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await createDataSource(env).initialize();
    } catch (error) {
      const fault = `${variable}: ${remedyFor(error)}`;
      if (isUnreachable(error)) throw new DatabaseUnavailableError(fault);
      if (!mayPass(error)) throw new ConfigurationError([fault]);
      if (attempt === CONNECT_ATTEMPTS) throw new DatabaseUnavailableError(fault);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_ATTEMPTS_MS));
    }
  }
}

/**
 * 57P03 means starting or stopping, 53300 means that no connection is free. The driver's timeout has no code, and PgBouncer's
 * timeout has the code of a protocol violation.
 */
function mayPass(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === '57P03' || code === '53300') return true;
  return code === '' ? /timeout/i.test(message) : /^(query_wait|client_login)_timeout/.test(message);
}

/** The address may be wrong. A server that restarts, fails over, or has no name yet looks the same. */
function isUnreachable(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return UNREACHABLE.has(code);
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

const UNTRUSTED = 'is not signed by a trusted authority; name the file of its authority by sslrootcert';

/** Errors that Node.js reports about the server's certificate. */
const CERTIFICATE_FAULTS = new Map([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name; connect by a name that it contains'],
  ['CERT_HAS_EXPIRED', 'has expired; renew it on the server'],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNTRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
  ['CERT_SIGNATURE_FAILURE', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
]);

function remedyFor(error: unknown): string {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const certificateFault = CERTIFICATE_FAULTS.get(code);
  if (certificateFault) return `the certificate of the server ${certificateFault}`;
  if (/does not support SSL/.test(message))
    return 'the server does not offer TLS; enable it there, or use sslmode=disable';
  if (/client certificate/.test(message)) {
    return 'the server requires a client certificate of this user; name its files by sslcert and sslkey';
  }
  if (/no encryption$/.test(message)) return 'the server requires TLS; use sslmode=verify-full';
  if (code === 'ECONNREFUSED')
    return 'no server accepts connections at this address; start it, or unset DATABASE_URL and use npm start';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host cannot be found; check its spelling';
  if (code === '28P01' || code === '28000') return 'the server rejects this user or password; check both';
  if (/unsupported startup parameter/.test(message)) {
    return `the pooler rejects the limits of statements (${message}); name them in its ignore_startup_parameters, as deploy/pgbouncer/pgbouncer.ini does`;
  }
  if (code === '3D000') return 'the database does not exist; create it first (createdb)';
  return `the database cannot be used (${message}); expected a reachable PostgreSQL 15 or newer`;
}

function stackOf(error: unknown): string {
  const { stack, code } = error as { stack?: string; code?: string };
  if (code === 'EADDRINUSE')
    return 'PORT: the port is in use by another process; stop that process or choose another PORT';
  return stack ?? String(error);
}
