// @ts-check
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { dataFolder, loadEnvironment } from './environment.js';
import { ensureInstalled } from './install.js';
import { LaunchError, report } from './launch-error.js';
import { livingClaims } from './run-claims.js';

/** What the service keeps in its folder. A DATA_DIR that was pointed elsewhere by mistake holds none of it. */
const OURS = ['postgres', 'credentials.json', 'run', 'logs'];

/**
 * `npm run reset`: forgets everything that the service keeps in its data folder. Asks first, unless told `--yes`.
 * @param {string} folder
 * @returns {Promise<string>} what was done
 * @throws {LaunchError} something of it is running, or it is not our folder
 */
async function reset(folder) {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return `There is nothing to reset in ${folder}.`;
  if (!readdirSync(folder).some((name) => OURS.includes(name))) {
    throw new LaunchError(`${folder} does not look like the service's data folder.`, 'Correct DATA_DIR.');
  }
  await refuseWhileRunning(folder);
  if (!(await confirmed(folder))) return 'Nothing was removed.';
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    throw new LaunchError(
      `${folder} could not be removed.`,
      'Run the same command as the user that started the service.',
      {
        detail: String(error),
      },
    );
  }
  return `${folder} was removed; the next \`npm start\` begins with new demo data.`;
}

/** @param {string} folder */
async function refuseWhileRunning(folder) {
  await ensureInstalled();
  const { whoRuns } = await import('./embedded-postgres/index.js');
  const [service] = livingClaims(join(folder, 'run'));
  if (service !== undefined) {
    throw new LaunchError(
      `The service is running (process ${service}).`,
      `Stop it first, with Ctrl-C or \`kill ${service}\`.`,
    );
  }
  const server = existsSync(join(folder, 'postgres')) ? whoRuns(join(folder, 'postgres')) : null;
  if (server?.pid) {
    throw new LaunchError(
      `Its PostgreSQL is running (process ${server.pid}).`,
      `Stop it first: \`kill -INT ${server.pid}\` ends it in order.`,
    );
  }
}

/** @param {string} folder */
async function confirmed(folder) {
  if (process.argv.includes('--yes')) return true;
  if (!process.stdin.isTTY) {
    throw new LaunchError(
      'There is nobody to ask.',
      'Say `npm run reset -- --yes` to remove everything without a question.',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Remove ${folder} with the whole database in it? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

loadEnvironment();
try {
  console.log(await reset(dataFolder()));
} catch (error) {
  process.exitCode = report(error);
}
