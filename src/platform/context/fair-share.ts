import { AppError, overloaded } from '../errors/app-error.js';

const RETRY_AFTER_MS = 1_000;

export interface ShareLimits {
  /** Tasks that run at the same time. */
  readonly running: number;
  /** Tasks that wait for their turn. */
  readonly waiting: number;
  /** Tasks of one caller that run at the same time. */
  readonly runningPerCaller: number;
  /** Tasks of one caller that wait. */
  readonly waitingPerCaller: number;
  /** Maximum wait of a task before it is rejected; if absent, it waits for its turn. */
  readonly waitMs?: number;
}

interface Caller {
  running: number;
  readonly waiting: (() => void)[];
}

/** A quarter of the connections of a pool, and at least one; the rest of the pool stays free for other requests. */
export function quarterOf(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 4));
}

/**
 * Runs a bounded number of tasks at the same time in this process, and limits each caller to a part of them. Further tasks
 * wait; the callers take turns, so that one with many tasks does not hold up the others. Too many tasks of one caller are 429,
 * too many of all callers together are 503.
 */
export class FairShare {
  /** Tasks that wait. */
  waiting = 0;
  private running = 0;
  /** Callers with tasks; the one served last is at the end. */
  private readonly callers = new Map<string, Caller>();

  constructor(private readonly limits: ShareLimits) {}

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const release = await this.take(caller);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Resolves when the task may run; the returned function ends it. */
  async take(caller: string): Promise<() => void> {
    const own = this.callers.get(caller) ?? { running: 0, waiting: [] };
    if (this.running < this.limits.running && own.running < this.limits.runningPerCaller) this.begin(caller, own);
    else await this.turn(caller, own);
    let isRunning = true;
    return () => {
      if (isRunning) this.end(caller, own);
      isRunning = false;
    };
  }

  private begin(caller: string, own: Caller): void {
    this.running += 1;
    own.running += 1;
    this.requeue(caller, own);
  }

  private end(caller: string, own: Caller): void {
    this.running -= 1;
    own.running -= 1;
    this.requeue(caller, own);
    if (this.running >= this.limits.running) return;
    for (const [name, next] of this.callers) {
      if (next.waiting.length === 0 || next.running >= this.limits.runningPerCaller) continue;
      // Counted before it runs, so that no other task takes its place in the meantime.
      this.begin(name, next);
      next.waiting.shift()?.();
      return;
    }
  }

  /** Moves the caller behind all others, as it was served; a caller without tasks is forgotten. */
  private requeue(caller: string, own: Caller): void {
    this.callers.delete(caller);
    if (own.running > 0 || own.waiting.length > 0) this.callers.set(caller, own);
  }

  private async turn(caller: string, own: Caller): Promise<void> {
    const { waiting, waitMs } = this.limits;
    if (own.running + own.waiting.length >= this.most) throw this.tooManyOfCaller();
    if (this.waiting >= waiting) throw tooManyOfAll();
    this.callers.set(caller, own);
    this.waiting += 1;
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        this.waiting -= 1;
        resolve();
      };
      const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp(), waitMs);
      const giveUp = () => {
        own.waiting.splice(own.waiting.indexOf(start), 1);
        this.waiting -= 1;
        this.requeue(caller, own);
        reject(own.running >= this.limits.runningPerCaller ? this.tooManyOfCaller() : tooManyOfAll());
      };
      own.waiting.push(start);
    });
  }

  /** The tasks that one caller may have. */
  private get most(): number {
    return this.limits.runningPerCaller + this.limits.waitingPerCaller;
  }

  private tooManyOfCaller(): AppError {
    return new AppError(429, 'rate_limited', 'Too many requests of this kind are running; wait for one of them', {
      retryAfterMs: RETRY_AFTER_MS,
      details: { limit: this.most },
    });
  }
}

function tooManyOfAll(): AppError {
  return overloaded('Too many requests of this kind are running; try again later', RETRY_AFTER_MS);
}
