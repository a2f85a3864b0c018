import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/**
 * Locks the table of channels, so that whoever reads it waits, until `release`. How else could a test have a statement
 * that takes its time, of a service without test routes.
 */
export async function holdChannels(): Promise<{ release: () => Promise<void>; waiting: () => Promise<number> }> {
  const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await client.connect();
  await client.query('begin; lock table channels in access exclusive mode');
  return {
    release: () => client.end(),
    waiting: async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int from pg_locks where not granted and relation = 'channels'::regclass
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows[0]?.count ?? 0;
    },
  };
}

/** Asks again every few milliseconds until it is so. Fails after ten seconds. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > 40_000) throw new Error('It did not become so within forty seconds');
    await pause(10);
  }
}
