import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { LedgerVerifier, type Verification, type VerificationRange } from './ledger-verifier.js';

/** Verifies the ledger on request and every night. */
@Injectable()
export class LedgerVerificationService {
  private readonly verifier: LedgerVerifier;
  private readonly brokenChains;

  constructor(
    database: Database,
    @Inject(LOG) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.verifier = new LedgerVerifier(database);
    this.brokenChains = metrics.counter({
      name: 'ledger_broken_chains_total',
      help: 'Broken chains of the action ledger found by the nightly verification; any value above 0 needs an investigation',
    });
  }

  /** Verifies the whole ledger and reports breaks in the log and the metrics. */
  @Cron('action-ledger.verify', '30 2 * * *')
  async verifyNightly(): Promise<void> {
    const { breaks, entries } = await this.verify();
    this.brokenChains.inc(breaks.length);
    if (breaks.length > 0) this.log.error({ breaks }, 'the action ledger was changed outside the service');
    else this.log.info({ entries }, 'the action ledger is intact');
  }

  async verify(range: VerificationRange = {}): Promise<Verification> {
    return this.verifier.verify(range);
  }
}
