import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { databaseErrorOf } from '../../../platform/errors/database-refusals.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { type CheckedRule, type Integrity, MAX_EXAMPLES } from './integrity.dto.js';
import { INTEGRITY_CHECKS, type IntegrityCheck } from './integrity-checks.js';

type Found = Pick<CheckedRule, 'violations' | 'examples'>;

/** For all rules when a job checks them: whole tables of a large company's books are read. */
const JOB_MS = 1_800_000;
/** For all rules when a request asks. */
const REQUEST_MS = 4_000;
/** A statement was cancelled, or waited too long for a lock. */
const TOO_LONG = ['57014', '55P03'];

/**
 * Proves that no money was made or lost. Each rule is one statement, and so sees one moment: what is being paid meanwhile
 * is there as a whole or not at all. A job does so every hour, tells the log and the metrics, and keeps the report, for it
 * may take longer than a request has.
 */
@Injectable()
export class IntegrityReport implements OnModuleInit {
  private lastViolations: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('finance.integrity.verify', '17 * * * *', () => this.watch());
    const help = 'Things whose money does not add up, as of the last verification; anything but 0 is a fault';
    this.metrics.gauge({ name: 'finance_integrity_violations', help, aggregator: 'max' }, () => this.lastViolations);
  }

  /** As of now; the last kept report, if there is one, where the books are too large or too busy to be read by a request. */
  async read(): Promise<Integrity> {
    try {
      return await this.verify(REQUEST_MS);
    } catch (error) {
      const last = TOO_LONG.includes(databaseErrorOf(error)?.code ?? '') ? await this.last() : null;
      if (!last) throw error;
      return last;
    }
  }

  /** Keeps what it finds, and logs each rule that does not hold as an error. */
  async watch(): Promise<void> {
    const report = await this.verify(JOB_MS);
    const { checks, conserved } = report;
    this.lastViolations = checks.reduce((sum, { violations }) => sum + violations, 0);
    await this.keep(report);
    for (const { name, rule, violations, examples } of checks) {
      if (violations > 0) this.log.error({ check: name, rule, violations, examples }, 'money does not add up');
    }
    if (conserved) this.log.info({ checks: checks.length }, 'all money adds up');
  }

  /** One rule after the other, each in its own transaction; all of them within so much time. */
  private async verify(limitMs: number): Promise<Integrity> {
    const begun = this.clock.now();
    const checks: CheckedRule[] = [];
    for (const check of INTEGRITY_CHECKS) {
      const leftMs = limitMs - (this.clock.now().getTime() - begun.getTime());
      checks.push(await this.database.transaction(() => this.find(check, Math.max(1, leftMs))));
    }
    const conserved = checks.every(({ violations }) => violations === 0);
    return { checkedAt: begun.toISOString(), conserved, checks };
  }

  private async last(): Promise<Integrity | null> {
    const text = 'select checked_at as "checkedAt", checks from integrity_report';
    const [found] = await this.database.query<{ checkedAt: Date; checks: CheckedRule[] }>(text, []);
    if (!found) return null;
    const conserved = found.checks.every(({ violations }) => violations === 0);
    return { checkedAt: found.checkedAt.toISOString(), conserved, checks: found.checks };
  }

  /** Unless somebody else kept a newer one. */
  private async keep({ checkedAt, checks }: Integrity): Promise<void> {
    await this.database.query(
      `insert into integrity_report as last (checked_at, checks) values ($1, $2::jsonb)
       on conflict (is_only) do update set checked_at = excluded.checked_at, checks = excluded.checks
       where last.checked_at < excluded.checked_at`,
      [checkedAt, JSON.stringify(checks)],
    );
  }

  private async find({ name, rule, broken }: IntegrityCheck, limitMs: number): Promise<CheckedRule> {
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
