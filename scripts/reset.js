// @ts-check
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { dataFolder } from './environment.js';
import { LaunchError } from './launch-error.js';
import { lockHolders } from './lock.js';
import { serviceLocks } from './service.js';

/** Entries of a data folder, to detect a DATA_DIR that names another folder by mistake. */
const ENTRIES = ['postgres', 'credentials.json', 'run', 'logs'];

/**
 * `npm run reset`: deletes the data folder, after asking unless `yes` is given.
 * @param {{ yes?: boolean }} options
 * @returns {Promise<import('./platform/outcome.js').Outcome>}
 * @throws {LaunchError} the service or its PostgreSQL is running, or it is not a data folder
 */
export async function reset({ yes = false }) {
  const folder = dataFolder();
  const line = await deleted(folder, yes);
  return { result: { folder, deleted: !existsSync(folder) }, lines: [line] };
}

/**
 * @param {string} folder
 * @param {boolean} yes
 * @returns {Promise<string>} the result as text
 */
async function deleted(folder, yes) {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return `There is nothing to reset in ${folder}.`;
  if (!readdirSync(folder).some((name) => ENTRIES.includes(name))) {
    throw new LaunchError(`${folder} does not look like the service's data folder.`, 'Correct DATA_DIR.');
  }
  await rejectWhileRunning(folder);
  if (!yes && !(await confirmed(folder))) return 'Nothing was deleted.';
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    throw new LaunchError(
      `${folder} could not be deleted.`,
      'Run the same command as the user that started the service.',
      {
        detail: String(error),
      },
    );
  }
  return `${folder} was deleted; the next \`npm start\` begins with new demo data.`;
}

/** @param {string} folder */
async function rejectWhileRunning(folder) {
  const { runningPostgres } = await import('./embedded-postgres/index.js');
  const [service] = await lockHolders(serviceLocks());
  if (service !== undefined) {
    throw new LaunchError(
      `The service is running (process ${service}).`,
      `Stop it first, with Ctrl-C or \`kill ${service}\`.`,
    );
  }
  const server = existsSync(join(folder, 'postgres')) ? runningPostgres(join(folder, 'postgres')) : null;
  if (server) {
    throw new LaunchError(
      `Its PostgreSQL is running (process ${server.pid}).`,
      `Stop it first: \`kill -INT ${server.pid}\`.`,
    );
  }
}

/** @param {string} folder */
async function confirmed(folder) {
  if (!process.stdin.isTTY) {
    throw new LaunchError(
      'There is no terminal to ask for confirmation.',
      '`platform reset --yes` deletes everything without asking.',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Delete ${folder} with the whole database? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
