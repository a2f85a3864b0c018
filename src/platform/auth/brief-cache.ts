import type { Clock } from '../clock/clock.js';

/** A revoked credential must be refused everywhere within a second, so no answer is kept for longer. */
const KEPT_MS = 1_000;
const MOST = 10_000;

/** What was found out about credentials, for a second at most. Only what was found is kept, never that nothing was. */
export class BriefCache<Value> {
  private generation = 0;
  private readonly running = new Map<string, Promise<Value | null>>();
  private readonly found = new Map<string, { value: Value; until: number }>();

  constructor(private readonly clock: Clock) {}

  /** Forgets everything, so that a change made in this process holds from its next request on. */
  forget(): void {
    this.generation += 1;
    this.running.clear();
    this.found.clear();
  }

  /** What was found out less than a second ago. */
  find(key: string): Value | null {
    const entry = this.found.get(key);
    return entry && entry.until > this.clock.now().getTime() ? entry.value : null;
  }

  /** Asks anew. Those who ask while an answer is on its way wait for that one. */
  ask(key: string, question: () => Promise<Value | null>): Promise<Value | null> {
    const running = this.running.get(key);
    if (running) return running;
    const answer = this.answer(key, question).finally(() => {
      if (this.running.get(key) === answer) this.running.delete(key);
    });
    this.running.set(key, answer);
    return answer;
  }

  private async answer(key: string, question: () => Promise<Value | null>): Promise<Value | null> {
    // The answer is as old as the question; and one that was asked before a change here is not kept.
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
