import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { type CheckedRule, type Integrity, MAX_EXAMPLES } from './integrity.dto.js';
import { INTEGRITY_CHECKS, type IntegrityCheck } from './integrity-checks.js';

type Found = Pick<CheckedRule, 'violations' | 'examples'>;

/** Each reads whole tables: a few at once keep a large company's books within a request's time. */
const AT_A_TIME = 4;

/**
 * Proves that no money was made or lost. Each rule is one statement, and so sees one moment: what is being paid meanwhile
 * is there as a whole or not at all. Every night the same goes to the log and the metrics.
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
    this.jobs.schedule('finance.integrity.verify', '17 2 * * *', () => this.watch());
    const help = 'Things whose money does not add up, as of the last verification; anything but 0 is a fault';
    this.metrics.gauge({ name: 'finance_integrity_violations', help, aggregator: 'max' }, () => this.lastViolations);
  }

  async verify(): Promise<Integrity> {
    const checks: CheckedRule[] = [];
    for (let first = 0; first < INTEGRITY_CHECKS.length; first += AT_A_TIME) {
      const some = INTEGRITY_CHECKS.slice(first, first + AT_A_TIME);
      checks.push(...(await Promise.all(some.map((check) => this.find(check)))));
    }
    this.lastViolations = checks.reduce((sum, { violations }) => sum + violations, 0);
    return { checkedAt: this.clock.now().toISOString(), conserved: this.lastViolations === 0, checks };
  }

  /** Logs each rule that does not hold, as an error. */
  async watch(): Promise<void> {
    const { checks, conserved } = await this.verify();
    for (const { name, rule, violations, examples } of checks) {
      if (violations > 0) this.log.error({ check: name, rule, violations, examples }, 'money does not add up');
    }
    if (conserved) this.log.info({ checks: checks.length }, 'all money adds up');
  }

  private async find({ name, rule, broken }: IntegrityCheck): Promise<CheckedRule> {
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
