import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { BookingsService } from '../../bookings/index.js';
import { CommissionsRepository } from './commissions.repository.js';
import { CommissionsService } from './commissions.service.js';

const BATCH = 200;

@Injectable()
export class CommissionJobs {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly repository: CommissionsRepository,
    private readonly commissions: CommissionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes commissions that wait for the departure payable on the day after it, in the organization's time zone. Runs hourly,
   * because a day begins at a different UTC hour in each time zone. Each booking has its own transaction; several processes may
   * run the job at the same time.
   */
  @Cron('finance.commissions.departures', '13 * * * *')
  async settleDeparted(): Promise<void> {
    for (let afterId = '', hasMore = true; hasMore;) {
      const waiting = await this.repository.bookingsAwaitingDeparture(afterId, BATCH);
      for (const bookingId of await this.bookings.departedBefore(this.clock.today(), waiting)) {
        await this.database.transaction(async () => {
          await this.bookings.lock(bookingId);
          await this.commissions.settle(bookingId);
        });
      }
      afterId = waiting.at(-1) ?? afterId;
      hasMore = waiting.length === BATCH;
    }
  }
}
