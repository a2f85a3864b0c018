import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { DepartureListener, type DepartureSummary } from '../../operations/index.js';
import { OctoData } from './octo-data.js';
import { EXPIRE_JOB, OctoBookingsService } from './octo-bookings.service.js';

/** Ends holds of resellers when their time has passed, or when their departure does not take place. */
@Injectable()
@Listens(DepartureListener, 310)
export class OctoBookingJobs implements DepartureListener {
  constructor(
    private readonly bookings: OctoBookingsService,
    private readonly data: OctoData,
  ) {}

  @Job(EXPIRE_JOB)
  async expire(payload: unknown): Promise<void> {
    const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'octoBookingId') : null;
    if (typeof id === 'string') await this.bookings.expire(id);
  }

  @Cron('octo.expire-holds', '* * * * *')
  async expireLapsed(): Promise<void> {
    await this.bookings.expireLapsed();
  }

  @Cron('octo.erase-contacts', '40 3 * * *')
  async eraseContacts(): Promise<void> {
    await this.data.erasePast();
  }

  async ending({ id }: DepartureSummary): Promise<void> {
    await this.bookings.endHoldsOn(id);
  }

  async optionsInUse(departureId: string): Promise<string[]> {
    return this.bookings.optionsHeldOn(departureId);
  }
}
