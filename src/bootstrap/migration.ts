import type { DataSource } from 'typeorm';
import { connect } from './boot.js';
import { ConfigurationError } from '../platform/config/configuration-error.js';
import type { Env } from '../platform/config/env.js';
import { type ExaminedSchema, examineSchema, migrate, type MigrationProgress } from '../platform/database/migrator.js';
import { grantServiceRights, type OwnerQuery } from '../platform/database/service-role.js';
import { serviceRightsOf } from '../platform/database/table-declarations.js';
import { createSimulatedProvider } from './simulated-provider.js';
import { createVectorTables } from './vector-tables.js';

const CONNECTIONS = 4;

type MigrationSettings = Pick<
  Env,
  'databaseUrl' | 'databaseDirectUrl' | 'migrationDatabaseUrl' | 'databasePoolSize' | 'orgTimeZone' | 'production'
>;

/** The schema after a start or a migration. Versions are the numbers of migrations. */
export interface SchemaReport {
  /** The migrations that were applied now. */
  applied: string[];
  /** The last migration of the schema. */
  schemaVersion: number;
  /** The last migration that this build has. */
  buildVersion: number;
  /** The oldest build that may start on the schema; null if the schema does not store it. */
  oldestBuild: number | null;
}

/** Migrates the database, or with `MIGRATE=false` verifies only that this build may run on its schema. */
export function prepareSchema(env: MigrationSettings & Pick<Env, 'migrate'>): Promise<SchemaReport> {
  return env.migrate ? migrateDatabase(env) : verifySchema(env);
}

/**
 * Brings the schema up to date with the role that owns it, and gives the service's role its rights. With one role for both
 * there is nothing to grant. Several processes may do so at the same time.
 */
export async function migrateDatabase(
  settings: MigrationSettings,
  progress: MigrationProgress = {},
): Promise<SchemaReport> {
  const { databaseDirectUrl, migrationDatabaseUrl } = settings;
  if (migrationDatabaseUrl !== null && databaseOf(migrationDatabaseUrl) !== databaseOf(databaseDirectUrl)) {
    throw new ConfigurationError([
      `MIGRATION_DATABASE_URL: names another database than ${directVariable(settings)}; expected the same one with the role that owns it`,
    ]);
  }
  const owner = await (migrationDatabaseUrl === null
    ? connectDirectly(settings)
    : connect({ databaseUrl: migrationDatabaseUrl, databasePoolSize: CONNECTIONS }, 'MIGRATION_DATABASE_URL'));
  try {
    const grant = async (query: OwnerQuery) => {
      const role = roleOf(databaseDirectUrl);
      if (migrationDatabaseUrl === null || role === roleOf(migrationDatabaseUrl)) return;
      await grantServiceRights(query, role, serviceRightsOf);
    };
    const applied = await migrate(owner, {
      timeZone: settings.orgTimeZone,
      complete: async (query) => {
        await createVectorTables(query);
        if (!settings.production) await createSimulatedProvider(query);
      },
      grant,
      progress,
    });
    return reportOf(await examineSchema(owner), applied);
  } finally {
    await owner.destroy();
  }
}

/** Throws ConfigurationError if the schema is older than this build needs, or excludes this build. Changes nothing. */
export async function verifySchema(settings: MigrationSettings): Promise<SchemaReport> {
  const dataSource = await connectDirectly(settings);
  try {
    const examined = await examineSchema(dataSource);
    const { comparison } = examined;
    if (comparison.state === 'unusable') throw new ConfigurationError([`DATABASE_URL: ${comparison.fault}`]);
    if (comparison.state === 'older') {
      const { length: count, 0: first = '' } = comparison.pending;
      throw new ConfigurationError([
        `DATABASE_URL: the schema is older than this build needs (${count} migrations are pending, the first is ${first}), and MIGRATE is false; run 'platform migrate' with the role that owns the database, then start again`,
      ]);
    }
    return reportOf(examined, []);
  } finally {
    await dataSource.destroy();
  }
}

/** Connects without a pooler, because the lock of a migration and its settings belong to a session. */
function connectDirectly(settings: MigrationSettings): Promise<DataSource> {
  const { databaseDirectUrl: databaseUrl, databasePoolSize } = settings;
  return connect({ databaseUrl, databasePoolSize }, directVariable(settings));
}

function directVariable({ databaseUrl, databaseDirectUrl }: MigrationSettings) {
  return databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
}

function reportOf({ schemaVersion, buildVersion, oldestBuild }: ExaminedSchema, applied: string[]): SchemaReport {
  return { applied, schemaVersion, buildVersion, oldestBuild };
}

function databaseOf(url: string): string {
  return new URL(url).pathname;
}

function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
