import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';

/** The function drops a new partition again if it cannot create the other one of the same year. */
const CREATE = `
  select array(select name from unnest(created) as name where to_regclass(name) is not null) as created,
    default_used as "isDefaultUsed"
  from ledger_add_partitions()`;

interface Partitions {
  /** Partitions created by this run. */
  created: string[];
  /** Whether the default partition contains entries, because their own partition did not exist when they were written. */
  isDefaultUsed: boolean;
}

/**
 * Creates the ledger's partitions for the next year. The function of the database runs with the rights of the owner, because
 * the role of the service may not create tables.
 */
@Injectable()
export class LedgerPartitionJobs {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Cron('action-ledger.partitions', '11 1 * * *')
  async create(): Promise<void> {
    const [partitions] = await this.database.query<Partitions>(CREATE);
    if (!partitions) return;
    const { created, isDefaultUsed } = partitions;
    if (created.length > 0) this.log.info({ created }, 'partitions of the action ledger were created');
    if (isDefaultUsed) this.log.warn('the default partition of the action ledger contains entries');
  }
}
