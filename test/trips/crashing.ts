import { findContext } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import type { TestApp } from '../setup/app.js';

type Write = (work: () => Promise<unknown>) => Promise<unknown>;

/** The methods that commit: our own transactions, and the statements of the simulated provider. */
const WRITES = ['attempt', 'apart'] as const;

/** A request that will crash, identified by its headers. */
export interface CrashingRequest {
  id: string;
  headers: Record<string, string>;
  crashed: Promise<void>;
}

/**
 * Crashes single requests after a number of writes: the last write is committed and never returns, so the request does
 * nothing more. Other requests are not affected.
 */
export class Crashes {
  private readonly requests = new Map<string, { left: number; crash: () => void }>();

  constructor(app: TestApp) {
    const database = app.nest.get(Database);
    for (const name of WRITES) {
      const write = (Reflect.get(database, name) as Write).bind(database);
      Reflect.set(database, name, (work: () => Promise<unknown>) => this.counted(write, work));
    }
  }

  after(writes: number): CrashingRequest {
    const id = `crash-${process.pid}-${this.requests.size + 1}`;
    const crashed = new Promise<void>((crash) => this.requests.set(id, { left: writes, crash }));
    return { id, headers: { 'X-Request-Id': id }, crashed };
  }

  /** The number of writes until its crash; 0 after the crash. */
  leftOf(id: string): number {
    return this.requests.get(id)?.left ?? 0;
  }

  private async counted(write: Write, work: () => Promise<unknown>): Promise<unknown> {
    const request = this.requests.get(findContext()?.requestId ?? '');
    const result = await write(work);
    if (!request) return result;
    request.left -= 1;
    if (request.left > 0) return result;
    request.crash();
    return new Promise(() => undefined);
  }
}
