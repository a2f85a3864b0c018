import type { Clock } from '../clock/clock.js';

/** A revoked credential must be rejected by all processes within a second, so no result is cached for longer. */
const KEPT_MS = 1_000;
const MOST = 10_000;

/** Caches results about credentials for at most one second. Only results are cached, not their absence. */
export class CredentialCache<Value> {
  private generation = 0;
  private readonly running = new Map<string, Promise<Value | null>>();
  private readonly found = new Map<string, { value: Value; until: number }>();

  constructor(private readonly clock: Clock) {}

  /** Clears the cache, so that a change made in this process applies from its next request on. */
  forget(): void {
    this.generation += 1;
    this.running.clear();
    this.found.clear();
  }

  /** The cached value. */
  find(key: string): Value | null {
    const entry = this.found.get(key);
    return entry && entry.until > this.clock.now().getTime() ? entry.value : null;
  }

  /** Runs the query. Concurrent callers with the same key share one run. */
  ask(key: string, question: () => Promise<Value | null>): Promise<Value | null> {
    const running = this.running.get(key);
    if (running) return running;
    const answer = this.answer(key, question).finally(() => {
      if (this.running.get(key) === answer) this.running.delete(key);
    });
    this.running.set(key, answer);
    return answer;
  }

  /** Caches a value that is true now. */
  set(key: string, value: Value): void {
    this.keep(key, value, this.clock.now().getTime() + KEPT_MS);
  }

  delete(key: string): void {
    this.found.delete(key);
  }

  private async answer(key: string, question: () => Promise<Value | null>): Promise<Value | null> {
    // A value is as old as the start of its query; a value from before a `forget` is not cached.
    const [asked, generation] = [this.clock.now().getTime(), this.generation];
    const value = await question();
    if (value === null) this.found.delete(key);
    else if (generation === this.generation) this.keep(key, value, asked + KEPT_MS);
    return value;
  }

  private keep(key: string, value: Value, until: number): void {
    if (this.found.size >= MOST) this.found.clear();
    this.found.set(key, { value, until });
  }
}
