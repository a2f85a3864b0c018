// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startService } from '../../bench/processes.js';
import { serviceEnv } from '../../test/setup/service-env.js';
import { runQuietly } from '../child.js';
import { schemaOf } from './schema.js';
import { summaryOf } from './document.js';

/** @typedef {{ root: string, databaseUrl: string, folder: string, env: NodeJS.ProcessEnv }} Build */

/** `area.subject.verb`: a ledger action or the name of a job. */
const DOTTED_NAME = /(['"`])([a-z][a-z-]*(?:\.[a-z][a-z_-]*){2,})\1/g;

/**
 * Reads everything that must stay the same from a build that runs on a separate empty database.
 * @param {{ root: string, databaseUrl: string, folder: string }} build `root`: the folder of its `dist`; `folder`: an
 * empty one, for its data
 * @returns {Promise<Record<string, any>>}
 */
export async function factsOf({ root, databaseUrl, folder }) {
  const env = {
    ...process.env,
    ...serviceEnv({ folder }, { DATABASE_URL: databaseUrl }),
    JOBS: 'false',
    DOCS: 'true',
    LOG_LEVEL: 'warn',
  };
  const build = { root, databaseUrl, folder, env };
  await mkdir(join(folder, 'docs'));
  await command('migrate', build);
  const facts = {
    database: await schemaOf(databaseUrl),
    'names of actions and jobs in the code': namesIn(join(root, 'dist/src')),
  };
  await command('docs', build);
  const served = await factsOfService(build);
  return {
    ...facts,
    ...served,
    events: await tableIn(join(folder, 'docs/events.md')),
    'scopes by role': await tableIn(join(folder, 'docs/scopes.md')),
  };
}

/** A service that does not start counts as a difference, so that other differences are still reported. @param {Build} build */
async function factsOfService(build) {
  try {
    const service = await startService(build);
    try {
      const document = await fetch(`${service.url}/openapi.json`).then((answer) => answer.json());
      return { ...summaryOf(document), 'actions in the ledger of the demo data': await ledgerOf(build.databaseUrl) };
    } finally {
      await service.stop();
    }
  } catch (error) {
    const log = await readFile(join(build.folder, 'service.log'), 'utf8').catch(() => '');
    process.stderr.write(`\n${error}\n${log}\n`);
    return { 'start of the service': 'failed' };
  }
}

/** @param {string} name @param {Build} build */
async function command(name, { root, env, folder }) {
  const platform = join(root, 'scripts/built-platform.js');
  // Older revisions had a separate program for commands, before the command line.
  const program = existsSync(platform) ? platform : join(root, 'dist/src/commands.js');
  const words = [process.execPath, program, name];
  const { code, output } = await runQuietly(words, { cwd: folder, env });
  if (code !== 0) throw new Error(`The command ${name} of the build in ${root} failed:\n${output}`);
}

/** The rows of the tables of a generated page, by their first cell. @param {string} file */
async function tableIn(file) {
  if (!existsSync(file)) return {};
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /^\| `/.test(line));
  const rows = lines.map((line) => line.split('|').slice(1, -1));
  return Object.fromEntries(rows.map(([name = '', ...cells]) => [unquoted(name), cells.map(unquoted)]));
}

/** @param {string} cell */
function unquoted(cell) {
  return cell.trim().replaceAll('`', '');
}

/** @param {string} folder */
function namesIn(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!spec)\.js$/.test(file),
  );
  const found = files.flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(DOTTED_NAME)]);
  return [...new Set(found.map(([, , name = '']) => name))].sort();
}

/** Counts the entries of each action that the first start writes. @param {string} databaseUrl */
async function ledgerOf(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select action, count(*)::int from action_ledger_entries group by action');
    return Object.fromEntries(rows.map(({ action, count }) => [action, count]));
  } finally {
    await client.end();
  }
}
