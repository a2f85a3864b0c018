import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { RoomingService } from './rooming.service.js';

/** Deletes rooms, with their notes and people, `TRAVEL_RETENTION_DAYS` after the end of their departure. */
@Injectable()
export class RoomingRetentionJobs {
  constructor(
    private readonly rooming: RoomingService,
    private readonly env: Env,
  ) {}

  @Cron('desk.rooms.retention', '58 3 * * *')
  async deletePast(): Promise<void> {
    await this.rooming.deleteOlderThan(this.env.travelRetentionDays);
  }
}
