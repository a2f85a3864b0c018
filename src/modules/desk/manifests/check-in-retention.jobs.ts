import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ManifestsService } from './manifests.service.js';

/** Deletes check-ins `TRAVEL_RETENTION_DAYS` after the end of their departure. */
@Injectable()
export class CheckInRetentionJobs {
  constructor(
    private readonly manifests: ManifestsService,
    private readonly env: Env,
  ) {}

  @Cron('desk.check-ins.retention', '59 3 * * *')
  async deletePast(): Promise<void> {
    await this.manifests.deleteOlderThan(this.env.travelRetentionDays);
  }
}
