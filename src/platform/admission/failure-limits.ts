import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FairShare, quarterOf } from '../context/fair-share.js';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { Database } from '../database/database.js';
import { AppError } from '../errors/app-error.js';
import { Cron } from '../jobs/job-decorators.js';
import { policies, type PolicyName, RateLimits } from './rate-limits.js';

const HEX_DIGITS = 3;

/**
 * One of 4,096 buckets in which failures are counted for a name that the caller chooses: invented names must not make the table of
 * failures grow. Two names share a bucket by chance only.
 */
export function nameBucketOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, HEX_DIGITS);
}

/** The current level of a bucket, refilled since it was last written: $2 capacity, $3 per second, $4 now. */
const REFILLED =
  'least($2::float8, f.tokens + greatest(0, extract(epoch from $4::timestamptz - f.at)::float8 * $3::float8))';

/** Losing the last counts in a server crash is harmless; waiting for the disk would occupy the connection. */
const WITHOUT_WAITING = "set_config('synchronous_commit', 'off', true)";

/**
 * Takes from all buckets ($1), or from none if one is empty. An empty bucket is only read: many attempts at one account
 * must not queue for the lock of its row. Tokens are fractions, so that one may be a little less than 1. Rows are locked
 * in one order.
 */
const TAKE_TOKENS = `
  insert into failure_limits as f (subject, tokens, at)
  select subject, $2::float8 - 1, $4::timestamptz
  from (select distinct unnest($1::bytea[]) as subject) wanted, ${WITHOUT_WAITING}
  where not exists (select from failure_limits as f where subject = any ($1) and ${REFILLED} < 0.999999)
  order by subject
  on conflict (subject) do update
    set tokens = greatest(0, ${REFILLED} - 1), at = greatest(f.at, excluded.at)
    where ${REFILLED} >= 0.999999
  returning f.subject`;

const READ_TOKENS = `select min(${REFILLED}) as tokens from failure_limits as f where subject = any ($1)`;

const RETURN_TOKENS = `
  update failure_limits set tokens = least($2::float8, tokens + 1) from ${WITHOUT_WAITING} where subject = any ($1)`;

/** Longer than any bucket takes to refill. */
const KEPT_SECONDS = 60 * 60;
/** Limits parallel attempts of one subject, so that those with the right secret do not empty its bucket. */
const ATTEMPTS = { waiting: 256, runningPerCaller: 2, waitingPerCaller: 100 };

/**
 * Limits on failed logins and client secrets. They are counted in the database, so that all processes share them, and
 * `RATE_LIMIT_FACTOR` does not multiply them. An attempt takes a token from each of its buckets before it runs, and returns
 * them unless it fails with 401 (or as `isFailure` decides), so parallel guesses gain nothing. Each process runs a few attempts
 * at a time; the others wait. Without the database no attempt runs.
 */
@Injectable()
export class FailureLimits {
  private readonly attempts = new Map<PolicyName, FairShare>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
    private readonly env: Env,
  ) {}

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
    return this.attemptsAt(name).run(subjects.join(' '), async () => {
      const buckets = subjects.map((subject) => hashOf(`${name} ${subject}`));
      await this.take(name, buckets);
      let failed = false;
      try {
        return await work();
      } catch (error) {
        failed = isFailure(error);
        throw error;
      } finally {
        if (!failed) await this.return(name, buckets);
      }
    });
  }

  private async take(name: PolicyName, buckets: Buffer[]): Promise<void> {
    const { rows: taken } = await this.run<{ subject: Buffer }>(TAKE_TOKENS, this.valuesOf(name, buckets));
    if (taken.length === buckets.length) return;
    // Another attempt emptied a bucket between the check and the lock.
    if (taken.length > 0)
      await this.return(
        name,
        taken.map(({ subject }) => subject),
      );
    throw await this.rejection(name, buckets);
  }

  /** Never throws: a bucket that cannot be written now refills by itself. */
  private async return(name: PolicyName, buckets: Buffer[]): Promise<void> {
    await this.run(RETURN_TOKENS, [buckets, policies[name].burst]).catch(() => undefined);
  }

  private async rejection(name: PolicyName, buckets: Buffer[]): Promise<AppError> {
    const { rows } = await this.run<{ tokens: number | null }>(READ_TOKENS, this.valuesOf(name, buckets));
    const tokens = rows[0]?.tokens ?? 0;
    const { burst, perMinute } = policies[name];
    const msFor = (missing: number) => Math.max(1, Math.ceil((missing * 60_000) / perMinute));
    return this.limits.rejection(name, { retryAfterMs: msFor(1 - tokens), resetMs: msFor(burst - tokens) });
  }

  private valuesOf(name: PolicyName, buckets: Buffer[]): unknown[] {
    const { burst, perMinute } = policies[name];
    return [buckets, burst, perMinute / 60, this.clock.now()];
  }

  /** Runs outside any transaction: the count is kept, and no row stays locked. */
  private async run<Row>(text: string, values: unknown[]): Promise<{ rows: Row[] }> {
    const { rows } = await this.database.apart(() => this.database.execute(text, values));
    return { rows: rows as Row[] };
  }

  /** A flood of attempts must leave connections for other requests. */
  private attemptsAt(name: PolicyName): FairShare {
    const known =
      this.attempts.get(name) ?? new FairShare({ ...ATTEMPTS, running: quarterOf(this.env.databasePoolSize) });
    this.attempts.set(name, known);
    return known;
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof AppError && error.status === 401;
}

/** Subjects contain e-mail addresses and client addresses: neither is stored. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
