// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { OwnDatabase } from './own-database.js';

const PLATFORM = join(import.meta.dirname, '../scripts/built-platform.js');

/**
 * A database with demo data, and the environment of service instances on it.
 * @typedef {object} World
 * @property {string} folder for logs
 * @property {Record<string, string | undefined>} env
 * @property {string} databaseUrl
 * @property {{ staff: { token: string }, platformKey: string, vaultSlug: string, demo: { contractId: string } }} credentials
 * @property {pg.Pool} pool queries the database directly
 * @property {OwnDatabase | null} database null if the server must not be killed
 * @property {() => Promise<void>} end
 */

/** Starts a durable PostgreSQL with demo data. @returns {Promise<World>} */
export async function startWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'travel-chaos-'));
  // The embedded server may run as another user, who must be able to reach its data.
  await chmod(folder, 0o711);
  const database = await OwnDatabase.start(folder);
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    DATABASE_POOL_SIZE: '10',
    RATE_LIMIT_FACTOR: '1000',
    LOG_LEVEL: 'warn',
  };
  for (const command of ['migrate', 'demo']) await run(command, env);
  const world = worldOn(env, { folder, credentialsFile: join(folder, 'data/credentials.json') });
  const end = async () => {
    await world.end();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...world, database, end };
}

/**
 * A world on an existing database. `end` keeps the database and the folder.
 * @param {Record<string, string | undefined>} env of the service
 * @param {{ folder: string, credentialsFile: string }} places
 * @returns {World}
 */
export function worldOn(env, { folder, credentialsFile }) {
  const databaseUrl = env.DATABASE_URL ?? '';
  const pool = new pg.Pool({ connectionString: env.MIGRATION_DATABASE_URL || databaseUrl, max: 2 });
  // The server may be killed while it is connected; the next query then fails.
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8'));
  return { folder, env, databaseUrl, credentials, pool, database: null, end: () => pool.end() };
}

/** Runs a command of the built service; throws with its output if it fails. @param {string} command @param {World['env']} env */
export async function run(command, env) {
  const child = spawn(process.execPath, [PLATFORM, ...command.split(' ')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`platform ${command} ended with ${code}:\n${output}`);
}
