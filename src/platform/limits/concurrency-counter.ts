import { unavailable } from '../errors/app-error.js';

/**
 * Runs a bounded number of tasks at the same time in this process; a bounded number waits, others are rejected with
 * 503.
 */
export class ConcurrencyCounter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: { running: number; waiting: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.running) this.running += 1;
    else await this.turn();
    try {
      return await work();
    } finally {
      // The slot goes to the first waiting task, so that a new one cannot take it.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.limits.waiting) throw unavailable('The service is busy');
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
