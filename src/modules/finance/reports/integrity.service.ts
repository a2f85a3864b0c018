import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { databaseErrorOf } from '../../../platform/errors/database-errors.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { type CheckedRule, type Integrity, MAX_EXAMPLES } from './integrity.dto.js';
import { INTEGRITY_CHECKS, type IntegrityCheck } from './integrity-checks.js';

type Found = Pick<CheckedRule, 'violations' | 'examples'>;

/** Time limit for all rules in the job, which reads whole tables. */
const JOB_MS = 1_800_000;
/** Time limit for all rules in a request. */
const REQUEST_MS = 4_000;
/** SQLSTATE of `statement_timeout` and of `lock_timeout`. */
const TIMEOUTS = ['57014', '55P03'];

/**
 * Verifies the accounting rules. Each rule is one statement and reads one snapshot, so a payment that is recorded meanwhile
 * is seen completely or not at all. An hourly job stores the report, because it may take longer than a request may.
 */
@Injectable()
export class IntegrityService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const help = 'Resources that break an accounting rule, as of the last verification; alert if not 0';
    metrics.gauge({ name: 'finance_integrity_violations', help, aggregator: 'max' }, () => this.countStored());
  }

  /** Returns the current report, or the stored one, if any, when the tables are too large or locked too long for a request. */
  async read(): Promise<Integrity> {
    try {
      return await this.verify(REQUEST_MS);
    } catch (error) {
      const stored = TIMEOUTS.includes(databaseErrorOf(error)?.code ?? '') ? await this.findStored() : null;
      if (!stored) throw error;
      return stored;
    }
  }

  /** Stores the report and logs each violated rule as an error. */
  @Cron('finance.integrity.verify', '17 * * * *')
  async verifyAndStore(): Promise<void> {
    const report = await this.verify(JOB_MS);
    const { checks, conserved } = report;
    await this.store(report);
    for (const { name, rule, violations, examples } of checks) {
      if (violations > 0) this.log.error({ check: name, rule, violations, examples }, 'accounting rule violated');
    }
    if (conserved) this.log.info({ checks: checks.length }, 'all accounting rules hold');
  }

  /** Checks the rules one by one, each in its own transaction; `limitMs` applies to all of them together. */
  private async verify(limitMs: number): Promise<Integrity> {
    const startedAt = this.clock.now();
    // Uses a monotonic clock, because the system time may be set meanwhile.
    const began = performance.now();
    const checks: CheckedRule[] = [];
    for (const check of INTEGRITY_CHECKS) {
      const leftMs = Math.floor(limitMs - (performance.now() - began));
      checks.push(await this.database.transaction(() => this.check(check, Math.max(1, leftMs))));
    }
    const conserved = checks.every(({ violations }) => violations === 0);
    return { checkedAt: startedAt.toISOString(), conserved, checks };
  }

  private async findStored(): Promise<Integrity | null> {
    const text = 'select checked_at as "checkedAt", checks from integrity_report';
    const [found] = await this.database.query<{ checkedAt: Date; checks: CheckedRule[] }>(text, []);
    if (!found) return null;
    const conserved = found.checks.every(({ violations }) => violations === 0);
    return { checkedAt: found.checkedAt.toISOString(), conserved, checks: found.checks };
  }

  /** Reads the stored report, because another process may have run the job last; null without a report or a database. */
  private async countStored(): Promise<number | null> {
    const stored = await this.findStored().catch(() => null);
    return stored && stored.checks.reduce((sum, { violations }) => sum + violations, 0);
  }

  /** Stores it unless another process has stored a newer one. */
  private async store({ checkedAt, checks }: Integrity): Promise<void> {
    await this.database.query(
      `insert into integrity_report as last (checked_at, checks) values ($1, $2::jsonb)
       on conflict (is_only) do update set checked_at = excluded.checked_at, checks = excluded.checks
       where last.checked_at < excluded.checked_at`,
      [checkedAt, JSON.stringify(checks)],
    );
  }

  private async check({ name, rule, broken }: IntegrityCheck, limitMs: number): Promise<CheckedRule> {
    await this.database.execute(`set local statement_timeout = ${limitMs}`);
    const [found] = await this.database.prepared<Found>(
      `integrity-${name}`,
      `with broken as (${broken})
       select (select count(*) from broken)::integer as violations,
         coalesce((
           select json_agg(json_build_object('subjectType', type, 'subjectId', id,
             'expectedCents', expected::text, 'actualCents', actual::text) order by id)
           from (select * from broken order by id limit $1) as first
         ), '[]'::json) as examples`,
      [MAX_EXAMPLES],
    );
    return { name, rule, violations: found?.violations ?? 0, examples: found?.examples ?? [] };
  }
}
