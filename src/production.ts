import type { DataSource } from 'typeorm';
import { ConfigurationError } from './platform/config/configuration-error.js';
import type { Env } from './platform/config/env.js';

/**
 * The demo data contains an OAuth client with a published secret, and the loader has an owner's token in a file. In
 * production, throws ConfigurationError for a database with demo data, before anything is changed.
 */
export async function rejectDemoInstallation(env: Env, dataSource: DataSource): Promise<void> {
  if (!env.production || !(await holdsDemoData(dataSource))) return;
  await dataSource.destroy();
  throw new ConfigurationError([
    'DATABASE_URL: leads to a database with demo data, whose credentials are known; expected one of its own for production; for example a new one (createdb), or without NODE_ENV=production this one',
  ]);
}

async function holdsDemoData(dataSource: DataSource): Promise<boolean> {
  const [table] = await dataSource.query<{ known: boolean }[]>(
    `select to_regclass('installation_steps') is not null as known`,
  );
  if (!table?.known) return false;
  const rows = await dataSource.query<object[]>(`select from installation_steps where step = 'demo-data'`);
  return rows.length > 0;
}
