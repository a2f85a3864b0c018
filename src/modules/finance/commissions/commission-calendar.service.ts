import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { CommissionPlace } from './commission-place.service.js';
import { CommissionRows } from './commission-rows.service.js';
import { CommissionSettlement } from './commission-settlement.service.js';

const BATCH = 200;

/**
 * Makes commissions payable that wait for a departure, on the day after it in the organization's time zone. It looks every
 * hour, since a day begins at another hour of UTC in every zone.
 */
@Injectable()
export class CommissionCalendar implements OnModuleInit {
  constructor(
    private readonly place: CommissionPlace,
    private readonly rows: CommissionRows,
    private readonly settlement: CommissionSettlement,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('finance.commissions.departures', '13 * * * *', () => this.turn());
  }

  /** Each booking is a transaction of its own; several processes may turn at once. */
  async turn(): Promise<void> {
    for (let after = '', isMore = true; isMore;) {
      const waiting = await this.rows.waitingForDeparture(after, BATCH);
      for (const bookingId of await this.place.departedOf(waiting)) {
        await this.place.holdBooking(bookingId, () => this.settlement.settle(bookingId));
      }
      after = waiting.at(-1) ?? after;
      isMore = waiting.length === BATCH;
    }
  }
}
