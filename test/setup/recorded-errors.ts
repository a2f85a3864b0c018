import { Database } from '../../src/platform/database/database.js';
import { databaseErrorOf } from '../../src/platform/errors/database-errors.js';
import type { TestApp } from './app.js';

export const DEADLOCK = '40P01';
export const CHECK = '23514';

/**
 * Collects the transactions that the database ends with one of these SQLSTATEs from now on, even if the service recovers: it
 * retries after a deadlock, and the client does not see it.
 */
export function recordDatabaseErrors({ nest }: TestApp, ...states: string[]): unknown[] {
  const found: unknown[] = [];
  const database = nest.get(Database);
  const attempt = (Reflect.get(database, 'attempt') as (work: unknown) => Promise<unknown>).bind(database);
  Reflect.set(database, 'attempt', async (work: unknown) => {
    try {
      return await attempt(work);
    } catch (error) {
      if (states.includes(databaseErrorOf(error)?.code ?? '')) found.push(error);
      throw error;
    }
  });
  return found;
}
