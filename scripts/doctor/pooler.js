// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { databaseUrlOf } from '../configuration.js';
import { ROOT } from '../environment.js';
import { newClient, remedyFor } from './connection.js';
import { failed, fine } from './finding.js';

/** @typedef {import('./finding.js').Finding} Finding */
/** @typedef {import('pg').Client} Client */
/** @typedef {[Client, Client]} Pair */
/**
 * @typedef {typeof import('../../src/platform/database/pooler.js')
 *   & typeof import('../../src/platform/database/data-source-options.js')} Build
 */

const SECTION = 'see "Connection pooler" in docs/operations.md';

/**
 * A pooler behind DATABASE_URL, and the address of the server beside it; no finding if there is neither.
 * @param {Client} client
 * @param {string} url
 * @returns {Promise<Finding[]>}
 */
export async function checkPooler(client, url) {
  const build = await built();
  const directUrl = process.env.DATABASE_DIRECT_URL;
  if (build === null || (!directUrl && !(await build.isPooled(client)))) return [];
  // As the service connects: a pooler may reject its limits of statements.
  const one = (/** @type {string} */ address) => newClient(address, build.connectionOptions(address));
  const pair = async (/** @type {string} */ address) => /** @type {Pair} */ ([await one(address), await one(address)]);
  const pooled = await pair(url);
  const direct = directUrl ? await pair(await databaseUrlOf(directUrl)) : null;
  try {
    const unusable = (direct && (await open(direct, 'DATABASE_DIRECT_URL'))) ?? (await open(pooled, 'DATABASE_URL'));
    return [unusable ?? (direct ? await compare(build, pooled, direct) : await withoutAddress(build, pooled))];
  } finally {
    for (const each of [...pooled, ...(direct ?? [])]) await each.end();
  }
}

/** @param {Build} build @param {Pair} pooled */
async function withoutAddress({ shareSessions }, pooled) {
  if (!(await shareSessions(...pooled))) return fine('pooler', 'DATABASE_URL leads to a pooler in session mode');
  const remedy = `set DATABASE_DIRECT_URL to the address of the server itself: ${SECTION}`;
  return failed('pooler', 'DATABASE_URL leads to a pooler in transaction mode', remedy);
}

/** @param {Build} build @param {Pair} pooled @param {Pair} direct */
async function compare({ isPooled, poolerFault, shareSessions }, pooled, direct) {
  if ((await isPooled(direct[0])) && (await shareSessions(...direct))) {
    const remedy = `set it to the address of the server itself: ${SECTION}`;
    return failed('pooler', 'DATABASE_DIRECT_URL leads to a pooler in transaction mode', remedy);
  }
  const found = await poolerFault(pooled, direct[0]);
  if (found) return failed('pooler', `DATABASE_URL ${found.fault}`, `expected ${found.expected}: ${SECTION}`);
  const what = (await isPooled(pooled[0])) ? 'a pooler' : 'the server';
  return fine('pooler', `DATABASE_URL leads to ${what}, and DATABASE_DIRECT_URL to the same database`);
}

/** @param {Pair} clients @param {string} variable */
async function open(clients, variable) {
  try {
    for (const client of clients) await client.connect();
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed('pooler', `${variable} cannot be used (${reason})`, remedyFor(error) ?? SECTION);
  }
}

/** @returns {Promise<Build | null>} null: not built */
async function built() {
  const files = ['pooler.js', 'data-source-options.js'].map((file) => join(ROOT, 'dist/src/platform/database', file));
  if (!files.every((file) => existsSync(file))) return null;
  const [pooler, options] = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  return { ...pooler, ...options };
}
