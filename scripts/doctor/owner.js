// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../environment.js';
import { failed, fine } from './finding.js';

/**
 * Whether an account can log in after the next start. Only production can be without one: elsewhere the first start
 * creates it.
 * @param {import('pg').Client | null} client null: the database is created by the next start
 */
export async function checkOwner(client) {
  const file = join(ROOT, 'dist/src/modules/identity/owner-login.js');
  if (process.env.NODE_ENV !== 'production' || !existsSync(file)) return [];
  const { ACTIVE_OWNER, NO_OWNER } = await import(pathToFileURL(file).href);
  if (client && (await hasRows(client, 'users', ACTIVE_OWNER))) return [fine('owner', 'an active owner can log in')];
  const isFirst = !client || !(await hasRows(client, 'installation_steps', FIRST_OWNER));
  const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = process.env;
  if (isFirst && email?.trim() && password?.trim()) {
    return [fine('owner', 'none yet: npm start creates the one of BOOTSTRAP_ADMIN_EMAIL')];
  }
  return [failed('owner', NO_OWNER.fault, NO_OWNER.remedy)];
}

const FIRST_OWNER = `select from installation_steps where step = 'first-owner'`;

/** @param {import('pg').Client} client @param {string} table @param {string} statement */
async function hasRows(client, table, statement) {
  const { rows } = await client.query('select to_regclass($1) is not null as known', [table]);
  return rows[0].known && ((await client.query(statement)).rowCount ?? 0) > 0;
}
