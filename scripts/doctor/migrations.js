// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../environment.js';
import { failed, fine, warned } from './finding.js';

/** @typedef {import('pg').Client} Client */
/** @typedef {import('../../src/platform/database/migration-history.js').AppliedMigration} AppliedMigration */
/** @typedef {typeof import('../../src/platform/database/migration-history.js') & { known: { name: string, checksum: string }[] }} Build */

/** Whether the schema is the one that this build knows, and the database one that may be served. @param {Client} client */
export async function checkMigrations(client) {
  const build = await migrationsOfThisBuild();
  if (build === null) return [warned('migrations', 'not checked: the service is not built yet', 'npm start builds it')];
  const applied = await build.appliedMigrations(async (text) => (await client.query(text)).rows);
  return [outcome(applied, build), ...(await checkDemoData(client))];
}

/** @param {AppliedMigration[]} applied @param {Build} build */
function outcome(applied, { known, historyFault }) {
  const fault = historyFault(applied, known);
  if (fault !== null) {
    const at = fault.lastIndexOf('; ');
    return failed('migrations', fault.slice(0, at), fault.slice(at + 2));
  }
  const pending = known.slice(applied.length).map(({ name }) => name);
  if (applied.length === 0) return fine('migrations', `none yet: npm start brings all ${pending.length}`);
  if (pending.length === 0) return fine('migrations', `all ${applied.length} are there`);
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

/** @param {Client} client @param {string} table */
async function isThere(client, table) {
  const { rows } = await client.query('select to_regclass($1) is not null as known', [table]);
  return rows[0].known;
}

/** @returns {Promise<Build | null>} null: it is not built */
async function migrationsOfThisBuild() {
  const files = ['dist/ormconfig.js', 'dist/src/platform/database/migration-history.js'].map((file) =>
    join(ROOT, file),
  );
  if (!files.every((file) => existsSync(file))) return null;
  const [{ default: dataSource }, history] = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  const migrations = dataSource.options.migrations.map((/** @type {new () => object} */ Migration) => new Migration());
  return { ...history, known: await history.knownMigrations(migrations) };
}
