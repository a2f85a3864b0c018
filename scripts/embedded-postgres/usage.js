// @ts-check
import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../processes.js';

/**
 * Each process that uses the server holds a shared lock with this key; a process that stops the server needs an exclusive one.
 */
const USAGE_LOCK = 7_203_416;
const ANSWER_WITHIN_MS = 5_000;

/** @typedef {pg.Client & { ref: () => void, unref: () => void }} Client */

/**
 * Registers this process as a user of the server, by an advisory lock that PostgreSQL releases when the process ends,
 * for any reason. The lock is acquired again if only its connection is lost.
 * @param {string} url of the superuser, for whom PostgreSQL reserves connections
 * @param {number} pid of the server
 * @returns {Promise<{ release: (stop: () => Promise<void>) => Promise<void> }>} `release`: unregisters this process and, if
 *   no other one is registered, calls `stop` while none can register. A second call waits for the first
 */
export async function registerUsage(url, pid) {
  let isReleased = false;
  const reconnect = async () => {
    while (!isReleased && isAlive(pid)) {
      const next = await lockShared(url).catch(() => null);
      if (next) return use(next);
      await delay(200, undefined, { ref: false });
    }
  };
  /** @type {Client} */
  let client;
  const use = (/** @type {Client} */ next) => {
    client = next;
    client.once('end', () => void reconnect());
  };
  use(await lockShared(url));
  const unregister = async (/** @type {() => Promise<void>} */ stop) => {
    isReleased = true;
    client.ref();
    // If a server does not respond, no other process can use it either.
    if (await lockExclusively(client).catch(() => true)) await stop();
    await client.end().catch(() => undefined);
  };
  /** @type {Promise<void> | undefined} */
  let released;
  return { release: (stop) => (released ??= unregister(stop)) };
}

/** @param {string} url */
async function lockShared(url) {
  const options = {
    connectionString: url,
    ssl: false,
    application_name: 'launcher',
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
  };
  const client = /** @type {Client} */ (new pg.Client(options));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock_shared($1)', [USAGE_LOCK]);
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  // The connection must not keep a finished process running.
  client.unref();
  return client;
}

/** @param {Client} client */
async function lockExclusively(client) {
  await client.query('select pg_advisory_unlock_shared($1)', [USAGE_LOCK]);
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [USAGE_LOCK]);
  return rows[0].locked;
}
