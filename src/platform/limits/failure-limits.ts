import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { AppError } from '../errors/app-error.js';
import type { PolicyName } from './policies.js';
import { RateLimits } from './rate-limits.js';
import type { Allowance } from './token-buckets.js';

/**
 * Limits on failures: of logins, of client secrets. An attempt takes its place in the buckets before it runs and gives it
 * back unless it is refused by 401. Attempts beyond that wait for those that run, so that guessing in parallel gains
 * nothing, and whoever knows the secret is not refused for coming in company.
 */
@Injectable()
export class FailureLimits {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {}

  /** Runs the work; throws 429 without running it where a subject has failed too often. */
  async count<T>(name: PolicyName, subjects: readonly string[], work: () => Promise<T>): Promise<T> {
    await this.reserve(name, subjects);
    let failed = false;
    try {
      return await work();
    } catch (error) {
      failed = error instanceof AppError && error.status === 401;
      throw error;
    } finally {
      this.settle(name, subjects, failed);
    }
  }

  private async reserve(name: PolicyName, subjects: readonly string[]): Promise<void> {
    for (;;) {
      const refused = this.takeAll(name, subjects);
      if (!refused) break;
      if (!this.running.has(keyOf(name, refused.subject))) this.limits.permitted(name, refused.allowance);
      await new Promise<void>((resolve) => this.waitersOf(keyOf(name, refused.subject)).push(resolve));
    }
    for (const subject of subjects) this.run(keyOf(name, subject), 1);
  }

  /** All of the subjects or none: one that has nothing left does not use up the others'. */
  private takeAll(name: PolicyName, subjects: readonly string[]): { subject: string; allowance: Allowance } | null {
    const buckets = this.limits.bucketsOf(name);
    const now = this.clock.now().getTime();
    for (const [index, subject] of subjects.entries()) {
      const allowance = buckets.take(subject, now);
      if (allowance.allowed) continue;
      for (const taken of subjects.slice(0, index)) buckets.giveBack(taken);
      return { subject, allowance };
    }
    return null;
  }

  private settle(name: PolicyName, subjects: readonly string[], failed: boolean): void {
    for (const subject of subjects) {
      if (!failed) this.limits.bucketsOf(name).giveBack(subject);
      const key = keyOf(name, subject);
      this.run(key, -1);
      const waiters = this.waiting.get(key) ?? [];
      this.waiting.delete(key);
      for (const wake of waiters) wake();
    }
  }

  private run(key: string, change: 1 | -1): void {
    const count = (this.running.get(key) ?? 0) + change;
    if (count > 0) this.running.set(key, count);
    else this.running.delete(key);
  }

  private waitersOf(key: string): (() => void)[] {
    const waiters = this.waiting.get(key) ?? [];
    this.waiting.set(key, waiters);
    return waiters;
  }
}

function keyOf(name: PolicyName, subject: string): string {
  return `${name} ${subject}`;
}
