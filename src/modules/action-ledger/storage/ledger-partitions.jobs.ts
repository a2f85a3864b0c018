import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';

interface Partitions {
  /** The partitions that did not exist. */
  created: string[];
  /** Whether entries are in the default partition, because theirs did not exist when they were written. */
  default_used: boolean;
}

/**
 * Creates the ledger's partitions for the next year. The function of the database runs with the rights of the owner, because
 * the role of the service may not create tables.
 */
@Injectable()
export class LedgerPartitionJobs {
  private isDefaultUsed: boolean | null = null;

  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Logger,
    metrics: Metrics,
  ) {
    metrics.gauge(
      {
        name: 'ledger_default_partition_used',
        help: '1 if entries of the action ledger are in the default partition, because no job created one for their year',
        aggregator: 'max',
      },
      () => (this.isDefaultUsed === null ? null : Number(this.isDefaultUsed)),
    );
  }

  @Cron('action-ledger.partitions', '11 1 * * *')
  async create(): Promise<void> {
    const [partitions] = await this.database.query<Partitions>('select * from ledger_add_partitions()');
    if (!partitions) return;
    this.isDefaultUsed = partitions.default_used;
    if (partitions.created.length > 0) this.log.info(partitions, 'partitions of the action ledger were created');
    if (partitions.default_used) this.log.warn('the default partition of the action ledger contains entries');
  }
}
