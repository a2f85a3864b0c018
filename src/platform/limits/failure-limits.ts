import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { currentCaller } from '../admission/caller.js';
import { FairShare, quarterOf } from '../admission/fair-share.js';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { Database } from '../database/database.js';
import { AppError } from '../errors/app-error.js';
import { Cron } from '../jobs/job-decorators.js';
import { policies, type PolicyName } from './policies.js';
import { RateLimits } from './rate-limits.js';

/**
 * The current level of a bucket, refilled since it was last written: $1 subject, $2 capacity, $3 per second, $4 now.
 */
const REFILLED =
  'least($2::float8, f.tokens + greatest(0, extract(epoch from $4::timestamptz - f.at)::float8 * $3::float8))';

/** Losing the last counts in a server crash is harmless; waiting for the disk would occupy the connection. */
const WITHOUT_WAITING = "set_config('synchronous_commit', 'off', true)";

/**
 * An empty bucket is only read: many attempts at one account must not queue for the lock of its row. Tokens are fractions,
 * so that one may be a little less than 1.
 */
const TAKE_TOKEN = `
  insert into failure_limits as f (subject, tokens, at)
  select $1::bytea, $2::float8 - 1, $4::timestamptz from ${WITHOUT_WAITING}
  where not exists (select from failure_limits as f where subject = $1 and ${REFILLED} < 0.999999)
  on conflict (subject) do update
    set tokens = greatest(0, ${REFILLED} - 1), at = greatest(f.at, excluded.at)
    where ${REFILLED} >= 0.999999
  returning f.tokens`;

const READ_TOKENS = `select ${REFILLED} as tokens from failure_limits as f where subject = $1`;

const RETURN_TOKEN = `
  update failure_limits set tokens = least($2::float8, tokens + 1) from ${WITHOUT_WAITING} where subject = $1`;

/** Longer than any bucket takes to be full again. */
const KEPT_SECONDS = 60 * 60;
const MAX_WAITING = 100;
const MAX_WAITING_STATEMENTS = 256;

interface Attempts {
  /** Those that take from the bucket now, or have taken and run. */
  active: number;
  waiting: (() => void)[];
}

/**
 * Limits on failed logins and client secrets. They are counted in the database, so that all processes share them, and
 * `RATE_LIMIT_FACTOR` does not multiply them. An attempt takes tokens from its buckets before it runs, and
 * returns them unless it fails with 401 (or as `isFailure` decides), so parallel guesses gain nothing. Attempts beyond
 * the limit wait for those that run in this process, so that a caller with the right secret may send many at the same
 * time. Without the database no attempt runs.
 */
@Injectable()
export class FailureLimits {
  private readonly attempts = new Map<string, Attempts>();
  /** A flood of attempts must leave connections to other requests, and turns to the attempts of others. */
  private readonly statements: FairShare;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
    env: Env,
  ) {
    const running = quarterOf(env.databasePoolSize);
    this.statements = new FairShare({
      running,
      waiting: MAX_WAITING_STATEMENTS,
      runningPerCaller: Math.ceil(running / 2),
      waitingPerCaller: MAX_WAITING,
    });
  }

  @Cron('platform.failure-limits.purge', '*/20 * * * *')
  async purge(): Promise<void> {
    await this.database.purge('failure_limits', 'at < $1', [this.clock.inSeconds(-KEPT_SECONDS)]);
  }

  /** Runs the work; throws 429 without running it if a subject has failed too often. Each 401 counts. */
  async count<T>(name: PolicyName, subjects: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.countIf(name, subjects, { work, isFailure: isUnauthorized });
  }

  /** Like `count`; `isFailure` decides which errors of the work count. */
  async countIf<T>(
    name: PolicyName,
    subjects: readonly string[],
    { work, isFailure }: { work: () => Promise<T>; isFailure: (error: unknown) => boolean },
  ): Promise<T> {
    const keys = subjects.map((subject) => `${name} ${subject}`);
    await this.reserve(name, keys);
    let failed = false;
    try {
      return await work();
    } catch (error) {
      failed = isFailure(error);
      throw error;
    } finally {
      if (!failed) await this.returnTokens(name, keys);
      for (const key of keys) this.leave(key, !failed);
    }
  }

  private async reserve(name: PolicyName, keys: readonly string[]): Promise<void> {
    for (;;) {
      const busyKey = keys.find((key) => (this.attempts.get(key)?.active ?? 0) >= policies[name].burst);
      if (busyKey !== undefined) {
        await this.wait(name, busyKey);
        continue;
      }
      for (const key of keys) this.attemptsOf(key).active += 1;
      const emptyKey = await this.takeTokens(name, keys).catch((error: unknown) => {
        for (const key of keys) this.leave(key, true);
        throw error;
      });
      if (emptyKey === null) return;
      for (const key of keys) this.leave(key, false);
      await this.wait(name, emptyKey);
    }
  }

  /** Waits until a running attempt ends. Throws 429 if none is running, or too many wait. */
  private async wait(name: PolicyName, key: string): Promise<void> {
    const { active = 0, waiting = [] } = this.attempts.get(key) ?? {};
    if (active === 0 || waiting.length >= MAX_WAITING) throw await this.rejection(name, key);
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Takes from all buckets or from none. Returns the key of an empty one, or null if each had a token left. */
  private async takeTokens(name: PolicyName, keys: readonly string[]): Promise<string | null> {
    for (const [index, key] of keys.entries()) {
      const earlier = keys.slice(0, index);
      const { rows } = await this.run(TAKE_TOKEN, this.valuesOf(name, key)).catch(async (error: unknown) => {
        await this.returnTokens(name, earlier);
        throw error;
      });
      if (rows.length > 0) continue;
      await this.returnTokens(name, earlier);
      return key;
    }
    return null;
  }

  /** Never throws: a bucket that cannot be written now refills by itself. */
  private async returnTokens(name: PolicyName, keys: readonly string[]): Promise<void> {
    const { burst } = policies[name];
    await Promise.allSettled(keys.map((key) => this.run(RETURN_TOKEN, [hashOf(key), burst])));
  }

  private async rejection(name: PolicyName, key: string): Promise<AppError> {
    const { rows } = await this.run(READ_TOKENS, this.valuesOf(name, key));
    const [row] = rows as { tokens: number }[];
    const tokens = row?.tokens ?? 0;
    const { burst, perMinute } = policies[name];
    const msFor = (missing: number) => Math.max(1, Math.ceil((missing * 60_000) / perMinute));
    return this.limits.rejection(name, { retryAfterMs: msFor(1 - tokens), resetMs: msFor(burst - tokens) });
  }

  private valuesOf(name: PolicyName, key: string): unknown[] {
    const { burst, perMinute } = policies[name];
    return [hashOf(key), burst, perMinute / 60, this.clock.now()];
  }

  /** Not part of any transaction: the count is kept, and no row stays locked. */
  private run(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    return this.statements.run(currentCaller(), () => this.database.apart(() => this.database.execute(text, values)));
  }

  private attemptsOf(key: string): Attempts {
    const known = this.attempts.get(key);
    if (known) return known;
    const attempts: Attempts = { active: 0, waiting: [] };
    this.attempts.set(key, attempts);
    return attempts;
  }

  /** Wakes those that wait when there is something to take again, or nothing left to wait for. */
  private leave(key: string, tokensReturned: boolean): void {
    const attempts = this.attemptsOf(key);
    attempts.active -= 1;
    if (!tokensReturned && attempts.active > 0) return;
    if (attempts.active === 0) this.attempts.delete(key);
    for (const wake of attempts.waiting.splice(0)) wake();
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof AppError && error.status === 401;
}

/** Subjects contain e-mail addresses and client addresses: neither is stored. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
