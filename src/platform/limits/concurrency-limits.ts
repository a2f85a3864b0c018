import { Injectable } from '@nestjs/common';
import type { AppError } from '../errors/app-error.js';

/** At most `most` requests with this key at the same time; further ones are rejected with the error. */
export interface Bound {
  readonly key: string;
  readonly most: number;
  readonly rejection: () => AppError;
}

/** Counts concurrent requests of this process. None waits. */
@Injectable()
export class ConcurrencyLimits {
  private readonly running = new Map<string, number>();

  /** Counts one under each key, until the returned function is called. Throws without counting if a bound is reached. */
  take(bounds: readonly Bound[]): () => void {
    const reached = bounds.find(({ key, most }) => this.of(key) >= most);
    if (reached) throw reached.rejection();
    for (const { key } of bounds) this.running.set(key, this.of(key) + 1);
    return () => {
      for (const { key } of bounds) this.release(key);
    };
  }

  private of(key: string): number {
    return this.running.get(key) ?? 0;
  }

  private release(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.running.set(key, left);
    else this.running.delete(key);
  }
}
