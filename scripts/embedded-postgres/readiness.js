// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from '../launch-error.js';
import { codeOf, isAlive } from '../processes.js';
import { connected } from './database.js';

const PATIENCE_MS = 180_000;

/**
 * Waits until a server takes queries. After a crash it first reads its journal again, which may take a while.
 * @param {import('./postmaster.js').Postmaster} postmaster
 * @param {{ url: string, found: boolean, signal?: AbortSignal }} options `found`: it was running before we came
 * @returns {Promise<boolean>} false when it ended instead
 * @throws {LaunchError} it refuses our password, or does not answer in three minutes
 */
export async function becomesReady({ pid, port }, { url, found, signal }) {
  const deadline = Date.now() + PATIENCE_MS;
  while (isAlive(pid)) {
    signal?.throwIfAborted();
    const refusal = await connected(url, (client) => client.query('select 1')).then(() => null, codeOf);
    if (refusal === null) return true;
    // Ours knows our password: whoever refuses it holds the port that ours will not get.
    if (found && refusal === '28P01') {
      throw new LaunchError(
        `A PostgreSQL (process ${pid}) runs on this data folder and refuses the passwords kept in it.`,
        `End it with \`kill -INT ${pid}\` and start again.`,
      );
    }
    if (Date.now() > deadline) {
      throw new LaunchError(
        `PostgreSQL (process ${pid}) runs but does not answer on port ${port}.`,
        `Look into its log, or end it with \`kill -QUIT ${pid}\` and start again: it recovers.`,
      );
    }
    await delay(40);
  }
  return false;
}
