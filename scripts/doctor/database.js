// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../environment.js';
import { isInstalled } from '../install.js';
import { codeOf } from '../processes.js';
import { failed, fine, warned } from './finding.js';
import { checkOwner } from './owner.js';

/** @typedef {import('./finding.js').Finding} Finding */

const CONNECT_MS = 5_000;
const REMEDIES = new Map([
  ['ECONNREFUSED', 'no server answers there: start it, or unset DATABASE_URL and npm start brings one of its own'],
  ['ENOTFOUND', 'the host cannot be found: check its spelling'],
  ['EAI_AGAIN', 'the host cannot be found: check its spelling, and the name server'],
  ['28P01', 'the server refuses this user or password: check both'],
  ['28000', 'the server refuses this user or password: check both, and its pg_hba.conf'],
  ['3D000', 'the database does not exist: make it first (createdb)'],
  ['53300', 'all connections are taken: raise max_connections, or end other clients'],
  ['57P03', 'the server is starting or stopping: wait a moment'],
]);

/** The database that DATABASE_URL names, else the embedded one as far as it is there; it is not started. */
export async function checkDatabase() {
  if (!isInstalled()) return [warned('database', 'not checked: the packages are not installed', 'npm start')];
  const url = process.env.DATABASE_URL;
  if (url) return checkAt(url, 'the server of DATABASE_URL');
  const area = join(dataFolder(), 'postgres');
  const embedded = await embeddedIn(area);
  if ('url' in embedded) return checkAt(embedded.url, `the embedded PostgreSQL (process ${embedded.pid})`);
  return [embedded.finding, ...(embedded.isNew ? await checkOwner(null) : [])];
}

/** @param {string} area @returns {Promise<{ url: string, pid: number } | { finding: Finding, isNew: boolean }>} */
async function embeddedIn(area) {
  // Only now: what they import may not be installed.
  const { packagedServer } = await import('../embedded-postgres/programs.js');
  const { serverUserFor } = await import('../embedded-postgres/server-user.js');
  const { findPostmaster } = await import('../embedded-postgres/postmaster.js');
  const { findPasswords } = await import('../embedded-postgres/cluster.js');
  const { APPLICATION_ROLE, DATABASE, urlOf } = await import('../embedded-postgres/database.js');
  const { major, version } = packagedServer();
  const cluster = join(area, major);
  serverUserFor(cluster);
  if (!existsSync(cluster)) {
    const says = `none yet: npm start makes one with the embedded PostgreSQL ${version}`;
    return { finding: fine('database', says), isNew: true };
  }
  const running = findPostmaster(cluster);
  const password = findPasswords(cluster)?.application;
  if (running && password !== undefined) {
    const address = { port: running.port, role: APPLICATION_ROLE, password, database: DATABASE };
    return { url: urlOf(address), pid: running.pid };
  }
  const says = `the embedded PostgreSQL ${version} is not running; what is in it is checked when it is`;
  return { finding: fine('database', says), isNew: false };
}

/** @param {string} url @param {string} name */
async function checkAt(url, name) {
  const { default: pg } = await import('pg');
  const { checkServer } = await import('./server.js');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const remedy = REMEDIES.get(codeOf(error)) ?? 'DATABASE_URL must lead to a PostgreSQL 15 or newer';
    return [failed('database', `${name} cannot be used (${told(error)})`, remedy)];
  }
  try {
    return [fine('database', `${name} answers`), ...(await checkServer(client))];
  } finally {
    await client.end();
  }
}

/** @param {unknown} error */
function told(error) {
  return codeOf(error) || (error instanceof Error ? error.message : String(error));
}
