// @ts-check
import pg from 'pg';

/** @typedef {import('./cluster.js').Passwords} Passwords */

/** Extensions that the migrations need; the superuser creates them, because the owner of the database is not one. */
export const EXTENSIONS = ['btree_gist', 'pg_trgm', 'unaccent'];

/** Owns the database and runs the migrations. */
export const OWNER_ROLE = 'travel_owner';
/** The role of the running service, which owns nothing. */
export const SERVICE_ROLE = 'travel_service';
/** The name that earlier versions gave the owner. */
const FORMER_OWNER_ROLE = 'travel_app';
export const DATABASE = 'travel';
/** With this lock, one process at a time creates roles, database and extensions. */
const CREATION_LOCK = 7_203_415;

/**
 * @param {{ port: number, role: string, password: string, database: string }} options
 * @returns {string}
 */
export function urlOf({ port, role, password, database }) {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Opens a connection, does the work, closes it.
 * @template T
 * @param {string} url
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function connected(url, work) {
  const client = new pg.Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 3000 });
  // A connection lost between two queries must not end this process; the next query fails.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Creates, unless they exist, the two roles, neither of which is a superuser, the database, which one of them owns, and the
 * extensions. The rights of the service's role on tables are granted after the migrations.
 * @param {{ port: number, passwords: Passwords }} options
 */
export async function ensureDatabase({ port, passwords }) {
  const superuser = { port, role: 'postgres', password: passwords.superuser };
  await connected(urlOf({ ...superuser, database: 'postgres' }), async (client) => {
    await client.query('select pg_advisory_lock($1)', [CREATION_LOCK]);
    const { rows } = await client.query('select rolname from pg_roles');
    const roles = new Set(rows.map(({ rolname }) => rolname));
    if (roles.has(FORMER_OWNER_ROLE) && !roles.has(OWNER_ROLE)) {
      // Tables and password stay with the role.
      await client.query(`alter role ${FORMER_OWNER_ROLE} rename to ${OWNER_ROLE}`);
      roles.add(OWNER_ROLE);
    }
    await ensureRole(client, { port, role: OWNER_ROLE, password: passwords.owner, exists: roles.has(OWNER_ROLE) });
    await ensureRole(client, {
      port,
      role: SERVICE_ROLE,
      password: passwords.service,
      exists: roles.has(SERVICE_ROLE),
    });
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE} owner ${OWNER_ROLE}`);
    await connected(urlOf({ ...superuser, database: DATABASE }), ensureExtensions);
  });
}

/** @param {pg.Client} client @param {{ port: number, role: string, password: string, exists: boolean }} options */
async function ensureRole(client, { port, role, password, exists }) {
  const literal = client.escapeLiteral(password);
  if (!exists) {
    await client.query(`create role ${role} login nosuperuser nocreatedb nocreaterole password ${literal}`);
  } else if (!(await opens(urlOf({ port, role, password, database: 'postgres' })))) {
    await client.query(`alter role ${role} login password ${literal}`);
  }
}

/** @param {string} url */
async function opens(url) {
  return connected(url, async () => true).catch(() => false);
}

/** @param {pg.Client} client */
async function ensureExtensions(client) {
  const { rows } = await client.query('select extname from pg_extension');
  const present = new Set(rows.map((row) => row.extname));
  for (const name of EXTENSIONS.filter((each) => !present.has(each))) await client.query(`create extension ${name}`);
}
