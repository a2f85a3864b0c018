import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { BookingsService } from '../../bookings/index.js';
import { CommissionsRepository } from './commissions.repository.js';
import { CommissionsService } from './commissions.service.js';

const BATCH = 200;

/** Background work of commissions. */
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
   * Makes commissions payable that wait for the departure, on the day after it in the organization's time zone. Hourly,
   * because a day begins at another hour of UTC in each time zone. Each booking is a transaction of its own; several
   * processes may run the job at the same time.
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
