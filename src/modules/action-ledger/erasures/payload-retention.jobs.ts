import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { PayloadErasuresService } from './payload-erasures.service.js';

/**
 * Erases the states before and after a change `ACCOUNTING_RETENTION_YEARS` after the end of its year. Entries, digests and
 * chains stay.
 */
@Injectable()
export class PayloadRetentionJobs {
  constructor(
    private readonly erasures: PayloadErasuresService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Each batch has its own transaction, so a stopped job continues with the next batch. */
  @Cron('action-ledger.retention', '7 4 * * *')
  async erasePast(): Promise<void> {
    const firstKeptYear = Number(this.clock.today().slice(0, 4)) - this.env.accountingRetentionYears;
    let after: string | null = '';
    while (after !== null) after = await this.erasures.eraseBefore(firstKeptYear, after);
  }
}
