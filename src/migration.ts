import { connect } from './boot.js';
import { ConfigurationError } from './platform/config/configuration-error.js';
import type { Env } from './platform/config/env.js';
import { migrate } from './platform/database/migrator.js';
import { grantServiceRights } from './platform/database/service-role.js';
import { serviceRightsOf } from './service-rights.js';

const CONNECTIONS = 4;

type MigrationSettings = Pick<Env, 'databaseUrl' | 'migrationDatabaseUrl' | 'databasePoolSize' | 'orgTimeZone'>;

/**
 * Brings the schema up to date with the role that owns it, and gives the service's role its rights. With one role for both
 * there is nothing to grant. Returns the names of the migrations that ran.
 */
export async function migrateDatabase(env: MigrationSettings): Promise<string[]> {
  const { databaseUrl, migrationDatabaseUrl } = env;
  if (migrationDatabaseUrl !== null && databaseOf(migrationDatabaseUrl) !== databaseOf(databaseUrl)) {
    throw new ConfigurationError([
      'MIGRATION_DATABASE_URL: names another database than DATABASE_URL; expected the same one with the role that owns it',
    ]);
  }
  const owner = await (migrationDatabaseUrl === null
    ? connect(env)
    : connect({ databaseUrl: migrationDatabaseUrl, databasePoolSize: CONNECTIONS }, 'MIGRATION_DATABASE_URL'));
  try {
    const grant = async () => {
      const role = roleOf(databaseUrl);
      if (migrationDatabaseUrl === null || role === roleOf(migrationDatabaseUrl)) return;
      await grantServiceRights(owner, role, serviceRightsOf);
    };
    return await migrate(owner, { timeZone: env.orgTimeZone, grant });
  } finally {
    await owner.destroy();
  }
}

function databaseOf(url: string): string {
  return new URL(url).pathname;
}

function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
