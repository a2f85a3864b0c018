import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { TravelersRepository } from './travelers.repository.js';

const BATCH = 200;

/** Erases documents, health data and emergency contacts of travelers `TRAVEL_RETENTION_DAYS` after the last service. */
@Injectable()
export class TravelerRetentionJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: TravelersRepository,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Each batch has its own transaction, so a stopped job continues with the next batch. */
  @Cron('bookings.travel.retention', '57 3 * * *')
  async erasePast(): Promise<void> {
    // First, because it needs consents that the erasure deletes.
    while ((await this.repository.insertUnprovenConsents(BATCH)) > 0);
    const bounds = { today: this.clock.today(), limit: BATCH };
    while ((await this.repository.eraseTravelData(this.env.travelRetentionDays, bounds)) > 0);
  }
}
