import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { type OtherRateSales, TaxCodeListener } from '../../taxes/index.js';
import { BookingItemsService } from './booking-items.service.js';

const MARK_JOB = 'bookings.mark-tax-rates';
const BATCH = 200;
const EARLIEST_DAY = '1900-01-01';

/**
 * Marks items that were sold before their tax code got another rate for their day. This is a job because a change of an item
 * locks its booking first, and there may be many.
 */
@Injectable()
@Listens(TaxCodeListener, 10)
export class TaxRateJobs implements TaxCodeListener {
  constructor(
    private readonly database: Database,
    private readonly items: BookingItemsService,
    private readonly jobs: Jobs,
  ) {}

  async rateAdded(taxCodeId: string, validFrom: string): Promise<OtherRateSales> {
    await this.jobs.add(MARK_JOB, { taxCodeId, validFrom });
    return this.items.countOtherRates(taxCodeId, validFrom);
  }

  /** Each batch is a transaction. */
  @Job(MARK_JOB)
  async markItems(payload: unknown): Promise<void> {
    const [taxCodeId, validFrom] = [textOf(payload, 'taxCodeId'), textOf(payload, 'validFrom')];
    const mark = () => this.items.markOtherRates(taxCodeId, validFrom, BATCH);
    while ((await this.database.transaction(mark)) === BATCH);
  }

  /** Finds sales and new rates of processes of an earlier build during a rolling update, which add no job. */
  @Cron('bookings.mark-missed-tax-rates', '41 3 * * *')
  async markMissed(): Promise<void> {
    for (const taxCodeId of await this.items.soldTaxCodes()) {
      await this.jobs.add(MARK_JOB, { taxCodeId, validFrom: EARLIEST_DAY });
    }
  }
}

function textOf(payload: unknown, name: string): string {
  const value: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
  if (typeof value !== 'string') throw new Error(`The payload has no ${name}`);
  return value;
}
