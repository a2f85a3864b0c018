import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import { HoldExpiry } from './hold-expiry.service.js';
import { idIn } from './job-payload.js';
import { Recoveries } from './recoveries.service.js';
import { RECOVER_JOB } from './saga-book.service.js';

/** Once a minute: holds that lapsed are given back, and reservations that nobody works on any more are ended. */
@Injectable()
export class Sweeper implements OnModuleInit {
  constructor(
    private readonly trips: TripRows,
    private readonly expiry: HoldExpiry,
    private readonly recoveries: Recoveries,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('trips.sweep', '* * * * *', async () => {
      await this.sweep();
    });
    this.jobs.define(RECOVER_JOB, async (payload) => {
      await this.recoveries.recover(idIn(payload, 'tripId'));
    });
  }

  /** Returns how many trips it moved; several processes may sweep at once. */
  async sweep(): Promise<number> {
    let moved = 0;
    for (const id of await this.trips.overdue('hold', this.clock.now())) {
      if (await this.expiry.expire(id)) moved += 1;
    }
    for (const id of await this.trips.overdue('lease', this.clock.now())) {
      if (await this.recoveries.recover(id)) moved += 1;
    }
    return moved;
  }
}
