import { randomBytes } from 'node:crypto';
import pg from 'pg';

const PREFIX = 'travel_test_';
const EXTENSIONS = ['pg_trgm', 'unaccent', 'btree_gist'];
/** The embedded server has no pgvector. */
const OPTIONAL = ['vector'];
const LEFT_BEHIND_MS = 6 * 60 * 60 * 1000;

/** Runs `work` with one connection to the database at `url`, and closes it. */
async function connected(url, work) {
  const client = new pg.Client({ connectionString: url, application_name: 'test-setup' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same server and database user, another database. */
function urlOf(url, { database, user, password }) {
  const other = new URL(url);
  if (database) other.pathname = `/${database}`;
  if (user) other.username = user;
  if (password) other.password = password;
  return other.href;
}

/**
 * A name for everything that one run creates on the server. It is unique, because runs may overlap, and contains its
 * age.
 */
export function newRun() {
  return `${PREFIX}${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`;
}

/**
 * Creates the empty template database of the run, a role without special rights that owns it, and the role of the service,
 * which owns nothing. If the given role is not a superuser, it is both.
 */
export async function createTemplate(adminUrl, run) {
  const template = `${run}_template`;
  await dropLeftBehind(adminUrl);
  const roles = await connected(adminUrl, async (admin) => {
    const created = await createRoles(admin, run);
    await admin.query(`create database ${template} template template0 encoding 'UTF8'`);
    if (created.role.user) await admin.query(`alter database ${template} owner to ${created.role.user}`);
    return created;
  });
  await connected(urlOf(adminUrl, { database: template }), async (admin) => {
    const optional = await admin.query('select name from pg_available_extensions where name = any ($1)', [OPTIONAL]);
    for (const extension of [...EXTENSIONS, ...optional.rows.map(({ name }) => name)]) {
      await admin.query(`create extension if not exists ${extension}`);
    }
  });
  return { template, ...roles, urls: urlsOf({ adminUrl, ...roles }, template) };
}

/**
 * The values that global-setup.js passes to the workers as `TEST_RUN`.
 * `role` owns the databases, `service` is the role of the application.
 * @typedef {{ user?: string, password?: string }} Role
 * @typedef {{ adminUrl: string, run: string, template: string, withoutCatalog: string, role: Role, service: Role }} TestRun
 */

/**
 * Creates the template without the demo data of the catalog. Indexing it is half of the work of a start, and most files
 * need no search.
 */
export async function createTemplateWithoutCatalog({ adminUrl, template, role }) {
  const name = `${template}_without_catalog`;
  await copy({ adminUrl, template, role }, name);
  await connected(urlOf(adminUrl, { database: name, ...role }), (owner) =>
    owner.query('truncate catalog_slice, catalog_document, catalog_embedding, catalog_reindex, catalog_search_index'),
  );
  return { withoutCatalog: name };
}

/** The settings with which the application uses the database. */
function urlsOf({ adminUrl, role, service }, database) {
  return {
    DATABASE_URL: urlOf(adminUrl, { database, ...service }),
    MIGRATION_DATABASE_URL: urlOf(adminUrl, { database, ...role }),
  };
}

/**
 * Replaces `database` by a fresh copy of the template and returns the settings with its URLs for the application.
 * @param {TestRun} run
 * @param {string} database
 * @param {string} [template]
 */
export async function freshCopy({ adminUrl, role, service, ...run }, database, template = run.template) {
  await copy({ adminUrl, template, role }, database);
  return urlsOf({ adminUrl, role, service }, database);
}

async function copy({ adminUrl, template, role }, database) {
  await connected(adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${database} with (force)`);
    const owner = role.user ? `owner ${role.user}` : '';
    await admin.query(`create database ${database} template ${template} strategy file_copy ${owner}`);
  });
}

/** Drops every database and the roles of a run. */
export async function dropRun(adminUrl, run) {
  await connected(adminUrl, async (admin) => {
    for (const database of await databasesOf(admin, run)) await admin.query(`drop database ${database} with (force)`);
    const { rows } = await admin.query('select rolname from pg_roles where starts_with(rolname, $1)', [`${run}_`]);
    for (const { rolname } of rows) await admin.query(`drop role ${rolname}`);
  });
}

/** Databases that the connected role may drop. */
async function databasesOf(admin, prefix) {
  const { rows } = await admin.query(
    `select datname from pg_database where starts_with(datname, $1) and pg_has_role(datdba, 'usage')`,
    [prefix],
  );
  return rows.map(({ datname }) => datname);
}

async function createRoles(admin, run) {
  const { rows } = await admin.query('select rolsuper from pg_roles where rolname = current_user');
  if (!rows[0].rolsuper) return { role: {}, service: {} };
  // The default of 4096 costs client and server 2 ms per connection, and a run opens thousands. PostgreSQL 15 has no setting.
  await admin.query(`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`);
  const create = async (user) => {
    const password = randomBytes(18).toString('hex');
    await admin.query(`create role ${user} login password '${password}'`);
    return { user, password };
  };
  const [role, service] = [await create(`${run}_owner`), await create(`${run}_service`)];
  // Lets tests, which act as the owner, see and end the connections of the service.
  await admin.query(`grant ${service.user} to ${role.user}`);
  return { role, service };
}

/** A run that was killed leaves its databases on an external server; hours later no run can be using them. */
async function dropLeftBehind(adminUrl) {
  const left = await connected(adminUrl, (admin) => databasesOf(admin, PREFIX));
  const runs = new Set(left.map((database) => database.split('_').slice(0, 4).join('_')));
  for (const run of runs) {
    const startedAt = parseInt(run.split('_')[2], 36);
    if (Date.now() - startedAt > LEFT_BEHIND_MS) await dropRun(adminUrl, run);
  }
}
