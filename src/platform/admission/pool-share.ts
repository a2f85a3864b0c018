import { AppError, overloaded } from '../errors/app-error.js';

const RETRY_AFTER_MS = 1_000;

interface ShareLimits {
  /** Tasks that run at the same time; each uses one connection to the database. */
  readonly running: number;
  /** Tasks that wait for their turn. */
  readonly waiting: number;
  /** Tasks of one caller that run at the same time. */
  readonly runningPerCaller: number;
  /** Tasks of one caller that wait. */
  readonly waitingPerCaller: number;
}

interface Task {
  readonly caller: string;
  readonly start: () => void;
}

/** A quarter of the connections of a pool, of which one caller gets half; the rest of the pool stays free for other requests. */
export function quarterOfPool(poolSize: number): ShareLimits {
  const running = Math.max(1, Math.floor(poolSize / 4));
  return { running, waiting: 32 * running, runningPerCaller: Math.ceil(running / 2), waitingPerCaller: 16 };
}

/**
 * Runs tasks that read much in a bounded share of the connections of this process. A task beyond the share of its caller waits
 * without holding up the tasks of others. Too many of one caller are 429, too many of all callers together are 503.
 */
export class PoolShare {
  private readonly running = new Map<string, number>();
  private waiting: Task[] = [];

  constructor(private readonly limits: ShareLimits) {}

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.mayRun(caller)) this.begin(caller);
    else await this.turn(caller);
    try {
      return await work();
    } finally {
      this.end(caller);
    }
  }

  private mayRun(caller: string): boolean {
    const all = [...this.running.values()].reduce((sum, count) => sum + count, 0);
    return all < this.limits.running && (this.running.get(caller) ?? 0) < this.limits.runningPerCaller;
  }

  private begin(caller: string): void {
    this.running.set(caller, (this.running.get(caller) ?? 0) + 1);
  }

  private end(caller: string): void {
    const left = (this.running.get(caller) ?? 0) - 1;
    if (left > 0) this.running.set(caller, left);
    else this.running.delete(caller);
    const next = this.waiting.find((task) => this.mayRun(task.caller));
    if (!next) return;
    this.waiting = this.waiting.filter((task) => task !== next);
    // Counted before it runs, so that no other task takes its place in the meantime.
    this.begin(next.caller);
    next.start();
  }

  private turn(caller: string): Promise<void> {
    const own = this.waiting.filter((task) => task.caller === caller).length;
    if (own >= this.limits.waitingPerCaller) {
      const details = { limit: this.limits.runningPerCaller + this.limits.waitingPerCaller };
      throw new AppError(429, 'rate_limited', 'Too many requests of this kind are running; wait for one of them', {
        retryAfterMs: RETRY_AFTER_MS,
        details,
      });
    }
    if (this.waiting.length >= this.limits.waiting) {
      throw overloaded('Too many requests of this kind are running; try again later', RETRY_AFTER_MS);
    }
    return new Promise((start) => this.waiting.push({ caller, start }));
  }
}
