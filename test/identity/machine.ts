import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { connect } from '../../src/bootstrap/boot.js';
import { createApp } from '../../src/bootstrap/configure-app.js';
import { firstStart } from '../../src/bootstrap/first-start.js';
import { migrateDatabase } from '../../src/bootstrap/migration.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { createLog } from '../../src/platform/observability/log.js';
import { printWelcome } from '../../src/bootstrap/welcome.js';
import { closeAfterTests } from '../setup/running.js';

/** Values that production demands besides secrets; `VAULT_KEK_a` is random in each run. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  RATE_LIMIT_FACTOR: '1',
  BASE_URL: 'https://office.acme.test',
  VAULT_KEK_PRIMARY: 'a',
  VAULT_KEK_a: randomBytes(32).toString('base64'),
};

interface Run {
  run: string;
  adminUrl: string;
  role: { user?: string; password?: string };
}

let migrated: Promise<string> | undefined;

/** The state before the first start: an empty database, and a data folder that does not exist yet. */
export class Machine {
  private constructor(
    readonly databaseUrl: string,
    readonly folder: string,
  ) {}

  /** With its own data folder, or with that of another machine. */
  static async set(shared?: string): Promise<Machine> {
    // Migrations take longer than most of these tests.
    migrated ??= migratedDatabase();
    const databaseUrl = await createDatabase(await migrated);
    return new Machine(databaseUrl, shared ?? newFolder());
  }

  /** A machine whose database has no table. */
  static async bare(): Promise<Machine> {
    return new Machine(await createDatabase(), newFolder());
  }

  get credentialsFile(): string {
    return join(this.folder, 'credentials.json');
  }

  credentials(): { staff: { email: string; password: string; token: string } } & Record<string, unknown> {
    return JSON.parse(readFileSync(this.credentialsFile, 'utf8')) as ReturnType<Machine['credentials']>;
  }

  /** Returns the URL for a service in production, whose separate role has the rights that migrations grant and owns nothing. */
  async serviceUrl(): Promise<string> {
    const url = await this.newServiceRole();
    await migrateDatabase(
      readEnv({ ...process.env, DATABASE_URL: url, MIGRATION_DATABASE_URL: this.databaseUrl, NODE_ENV: 'test' }),
    );
    return url;
  }

  /** The URL of a new role that has no rights until a migration grants them. */
  async newServiceRole(): Promise<string> {
    const { run, adminUrl } = JSON.parse(process.env['TEST_RUN'] ?? '') as Run;
    const role = {
      username: `${run}_service_${randomBytes(4).toString('hex')}`,
      password: randomBytes(18).toString('hex'),
    };
    const admin = new URL(adminUrl);
    admin.pathname = new URL(this.databaseUrl).pathname;
    await query(admin.href, `create role ${role.username} login password '${role.password}'`);
    const name = admin.pathname.slice(1);
    closeAfterTests(async () => {
      await query(adminUrl, `drop database ${name} with (force)`);
      await query(adminUrl, `drop role ${role.username}`);
    });
    return Object.assign(new URL(this.databaseUrl), role).href;
  }

  sql<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    return query<Row>(this.databaseUrl, text, values);
  }

  /** Starts the service in this process as main.ts does; `listening` also serves HTTP. */
  async start(
    variables: Record<string, string> = {},
    { listening = false } = {},
  ): Promise<{ stop: () => Promise<void>; url: () => Promise<string>; nest: NestExpressApplication }> {
    const own = {
      DATABASE_URL: this.databaseUrl,
      MIGRATION_DATABASE_URL: '',
      DATA_DIR: this.folder,
      NODE_ENV: 'development',
      JOBS: 'false',
    };
    const env = readEnv({ ...process.env, ...own, ...variables });
    const dataSource = await connect(env);
    await migrate(dataSource);
    const app = await createApp({ env, dataSource, log: createLog('silent') });
    const stop = closeAfterTests(() => app.close());
    await app.init();
    const credentials = await firstStart(app, env);
    if (listening) await app.listen(env.port, env.host);
    printWelcome(env, credentials);
    return { stop, url: () => app.getUrl(), nest: app };
  }
}

function newFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'first-start-'));
  closeAfterTests(async () => rmSync(parent, { recursive: true }));
  return join(parent, 'data');
}

/** Creates a separate database, empty or a copy of another one, and returns its URL for the application. */
async function createDatabase(template?: string): Promise<string> {
  const { run, adminUrl, role } = JSON.parse(process.env['TEST_RUN'] ?? '') as Run;
  // Several files of one worker use machines.
  const name = `${run}_first_${randomBytes(4).toString('hex')}`;
  const copied = template === undefined ? '' : `template ${template} strategy file_copy`;
  await query(adminUrl, `create database ${name} ${copied} ${role.user ? `owner ${role.user}` : ''}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  if (role.user) Object.assign(url, { username: role.user, password: role.password });
  return url.href;
}

/** The name of a database with all tables and no rows. */
async function migratedDatabase(): Promise<string> {
  const url = await createDatabase();
  const dataSource = await connect(readEnv({ ...process.env, DATABASE_URL: url }));
  await migrate(dataSource);
  await dataSource.destroy();
  return new URL(url).pathname.slice(1);
}

async function query<Row>(url: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}
