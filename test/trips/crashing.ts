import type { TestApp } from '../setup/app.js';
import { findContext } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';

type Step = (work: () => Promise<unknown>) => Promise<unknown>;

/** What writes for good: our own transactions, and the books of the provider outside. */
const WRITES = ['attempt', 'apart'] as const;

/**
 * From now on the service dies after so many writes of a request: that one is committed, its caller never hears of it, and
 * nothing is written any more. Returns what brings it back to life, and says whether it had died.
 */
export function crashAfter(app: TestApp, writes: number): () => boolean {
  const database = app.nest.get(Database);
  let left = writes;
  const isRequest = () => findContext()?.actor?.type === 'user' || findContext()?.actor?.type === 'api_key';
  const assertAlive = () => {
    if (left <= 0) throw new Error('The process is dead');
  };
  for (const name of WRITES) {
    const write = (Reflect.get(database, name) as Step).bind(database);
    const dying: Step = async (work) => {
      if (!isRequest()) return write(work);
      assertAlive();
      const result = await write(work);
      left -= 1;
      assertAlive();
      return result;
    };
    Reflect.set(database, name, dying);
  }
  return () => {
    for (const name of WRITES) Reflect.deleteProperty(database, name);
    return left <= 0;
  };
}
