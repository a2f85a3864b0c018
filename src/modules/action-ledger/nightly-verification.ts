import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Jobs } from '../../platform/jobs/jobs.js';
import { LOG } from '../../platform/observability/log.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { LedgerVerification } from './ledger-verification.service.js';

/** Every night the whole ledger is verified: what is found is an error in the log and a figure in the metrics. */
@Injectable()
export class NightlyVerification implements OnModuleInit {
  private readonly broken;

  constructor(
    private readonly jobs: Jobs,
    private readonly verification: LedgerVerification,
    @Inject(LOG) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.broken = metrics.counter({
      name: 'ledger_broken_chains_total',
      help: 'Broken chains of the action ledger that the nightly verification found; anything but 0 is a reason to look',
    });
  }

  onModuleInit(): void {
    this.jobs.schedule('action-ledger.verify', '30 2 * * *', () => this.verify());
  }

  async verify(): Promise<void> {
    const { breaks, entries } = await this.verification.verify();
    this.broken.inc(breaks.length);
    if (breaks.length > 0) this.log.error({ breaks }, 'the action ledger was changed behind the service');
    else this.log.info({ entries }, 'the action ledger is intact');
  }
}
