// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../environment.js';
import { failed, fine, warned } from './finding.js';

/** @typedef {import('pg').Client} Client */

/** Whether the schema is the one that this build knows, and the database one that may be served. @param {Client} client */
export async function checkMigrations(client) {
  const done = await appliedTo(client);
  const known = await namesOfThisBuild();
  if (known === null) return [warned('migrations', 'not checked: the service is not built yet', 'npm start builds it')];
  const foreign = done.filter((name) => !known.includes(name));
  const pending = known.filter((name) => !done.includes(name));
  return [outcome({ done, foreign, pending }), ...(await checkDemoData(client))];
}

/** @param {{ done: string[], foreign: string[], pending: string[] }} found */
function outcome({ done, foreign, pending }) {
  if (foreign.length > 0) {
    const remedy = 'use the newer version of the service that made them, or another database';
    return failed('migrations', `the database has ${foreign.join(', ')}, which this version does not know`, remedy);
  }
  if (done.length === 0) return fine('migrations', `none yet: npm start brings all ${pending.length}`);
  if (pending.length === 0) return fine('migrations', `all ${done.length} are there`);
  return warned('migrations', `${pending.join(', ')} to come`, 'npm run migrate, or the next npm start, brings them');
}

/** @param {Client} client */
async function checkDemoData(client) {
  if (process.env.NODE_ENV !== 'production' || !(await isThere(client, 'installation_steps'))) return [];
  const { rowCount } = await client.query(`select from installation_steps where step = 'demo-data'`);
  if (!rowCount) return [];
  const says = 'the database holds demo data, whose credentials are known; production refuses it';
  return [failed('demo data', says, 'use a database of its own for production: createdb')];
}

/** @param {Client} client @returns {Promise<string[]>} */
async function appliedTo(client) {
  if (!(await isThere(client, 'migrations'))) return [];
  const { rows } = await client.query('select name from migrations order by id');
  return rows.map(({ name }) => name);
}

/** @param {Client} client @param {string} table */
async function isThere(client, table) {
  const { rows } = await client.query('select to_regclass($1) is not null as known', [table]);
  return rows[0].known;
}

/** @returns {Promise<string[] | null>} null: it is not built */
async function namesOfThisBuild() {
  const file = join(ROOT, 'dist/ormconfig.js');
  if (!existsSync(file)) return null;
  const { default: dataSource } = await import(pathToFileURL(file).href);
  return dataSource.options.migrations.map((/** @type {{ name: string }} */ { name }) => name);
}
