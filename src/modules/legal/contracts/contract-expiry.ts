import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ContractJournal } from './contract-journal.js';

const BATCH = 500;

interface Expired {
  id: string;
  contractNumber: string | null;
  version: number;
  previous: string;
}

/** Issued and sent contracts expire once their `expiresAt` has passed; looked for every five minutes. */
@Injectable()
export class ContractExpiry implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly journal: ContractJournal,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('legal.contracts.expire', '*/5 * * * *', async () => {
      await this.expire();
    });
  }

  /** Lets all contracts expire whose time has come, and returns how many; several processes may do so at once. */
  async expire(): Promise<number> {
    let count = 0;
    for (let batch = BATCH; batch === BATCH; count += batch) {
      batch = await this.database.transaction(() => this.expireBatch());
    }
    return count;
  }

  private async expireBatch(): Promise<number> {
    const now = this.clock.now();
    const contracts = await this.database.query<Expired>(
      `with due as (
         select id, status from contracts where status in ('issued', 'sent') and expires_at <= $1
         order by id limit $2 for no key update skip locked
       )
       update contracts set status = 'expired', expired_at = $1, updated_at = $1, version = version + 1
       from due where contracts.id = due.id
       returning contracts.id, contract_number as "contractNumber", version, due.status as previous`,
      [now, BATCH],
    );
    for (const contract of contracts) {
      const { contractNumber, version, previous } = contract;
      this.journal.record('expire', contract.id, {
        before: { status: previous, contractNumber, version: version - 1 },
        after: { status: 'expired', contractNumber, version },
      });
      this.journal.announce('expired', contract);
    }
    return contracts.length;
  }
}
