import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ActionLedger, PayloadErasuresService } from '../../action-ledger/index.js';
import { ContractsService } from '../../legal/index.js';
import { BookingsRepository } from './bookings.repository.js';

const BATCH = 500;

/** Erases customers, free texts and contracts of bookings `CONTRACT_RETENTION_MONTHS` after their last service. */
@Injectable()
export class BookingRetentionJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly contracts: ContractsService,
    private readonly ledger: ActionLedger,
    private readonly payloads: PayloadErasuresService,
    private readonly env: Env,
  ) {}

  /** Each batch has its own transaction, so a stopped job continues with the next batch. */
  @Cron('bookings.retention', '53 3 * * *')
  async erasePast(): Promise<void> {
    while ((await this.database.transaction(() => this.eraseBatch())) === BATCH);
  }

  private async eraseBatch(): Promise<number> {
    const erased = await this.repository.eraseOlderThan(this.env.contractRetentionMonths, BATCH);
    const ids = erased.map(({ id }) => id);
    await this.contracts.eraseOfBookings(ids);
    await this.payloads.eraseAbout('booking', ids);
    await this.payloads.eraseAbout('booking_item', await this.repository.itemIdsOf(ids));
    await this.payloads.eraseAbout('voucher', await this.repository.voucherIdsOf(ids));
    for (const { id, version } of erased) {
      const images = { before: { id, version: version - 1 }, after: { id, version } };
      this.ledger.record('bookings.booking.erase', { subjectType: 'booking', subjectId: id, ...images });
    }
    return erased.length;
  }
}
