import type { TestApp } from '../setup/app.js';
import { findContext } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';

type Step = (work: () => Promise<unknown>) => Promise<unknown>;

/** What writes for good: our own transactions, and the books of the provider outside. */
const WRITES = ['attempt', 'apart'] as const;

/** A request that dies: which it is, its headers, and what happens when it does. */
export interface Doom {
  id: string;
  headers: Record<string, string>;
  death: Promise<void>;
}

/**
 * Has the service die under some requests, told apart by their ids: after so many writes. The last one is committed, and
 * nothing that the request would have done comes after it; nobody hears of it, until the deadline of requests ends the
 * wait. All others live on, so that many may die at once.
 */
export class Crashes {
  private readonly doomed = new Map<string, { left: number; die: () => void }>();

  constructor(app: TestApp) {
    const database = app.nest.get(Database);
    for (const name of WRITES) {
      const write = (Reflect.get(database, name) as Step).bind(database);
      Reflect.set(database, name, (work: () => Promise<unknown>) => this.dying(write, work));
    }
  }

  after(writes: number): Doom {
    const id = `crash-${process.pid}-${this.doomed.size + 1}`;
    const death = new Promise<void>((die) => this.doomed.set(id, { left: writes, die }));
    return { id, headers: { 'X-Request-Id': id }, death };
  }

  /** How many writes it was away from its death; 0 where it has died. */
  leftOf(id: string): number {
    return this.doomed.get(id)?.left ?? 0;
  }

  private async dying(write: Step, work: () => Promise<unknown>): Promise<unknown> {
    const doomed = this.doomed.get(findContext()?.requestId ?? '');
    const result = await write(work);
    if (!doomed) return result;
    doomed.left -= 1;
    if (doomed.left > 0) return result;
    doomed.die();
    return new Promise(() => undefined);
  }
}
