import { Database } from '../../src/platform/database/database.js';
import { databaseErrorOf } from '../../src/platform/errors/database-errors.js';
import type { TestApp } from './app.js';

export const DEADLOCK = '40P01';
export const CHECK = '23514';

/**
 * From now on: the transactions that the database ended with one of these SQLSTATEs, whatever the service made of it: a
 * deadlock is run again, and nobody outside sees it.
 */
export function refusalsOf({ nest }: TestApp, ...states: string[]): unknown[] {
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
