import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

interface LockedTable {
  release: () => Promise<void>;
  /** The number of statements that wait for the table. */
  waiting: () => Promise<number>;
}

export function lockChannels(): Promise<LockedTable> {
  return lockTable('channels');
}

/**
 * Locks the table until `release`, so that statements which read it wait. The service has no test routes; this is how a
 * test makes a request take long.
 */
export async function lockTable(
  table: 'channels' | 'action_ledger_entries' | 'api_tokens' | 'contracts' | 'invoices' | 'payments',
): Promise<LockedTable> {
  const client = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return {
    release: () => client.end(),
    waiting: async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int from pg_locks where not granted and relation = '${table}'::regclass
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows[0]?.count ?? 0;
    },
  };
}

/** Repeats the check every few milliseconds until it succeeds. Fails after ninety seconds. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > 90_000) throw new Error('It did not become so within ninety seconds');
    await pause(10);
  }
}
