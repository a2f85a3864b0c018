import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { CustomerListener } from '../../customers/index.js';
import { AnswersRepository } from './answers.repository.js';

const BATCH = 200;

/** Deletes answers `TRAVEL_RETENTION_DAYS` after the last service. */
@Injectable()
export class AnswerRetentionJobs {
  constructor(
    private readonly repository: AnswersRepository,
    private readonly env: Env,
  ) {}

  /** Each batch has its own transaction, so a stopped job continues with the next batch. */
  @Cron('bookings.answers.retention', '59 3 * * *')
  async deletePast(): Promise<void> {
    while ((await this.repository.deletePast(this.env.travelRetentionDays, BATCH)) > 0);
  }
}

/** Answers about health end with the consent of the customer. */
@Injectable()
@Listens(CustomerListener, 25)
export class AnswerCustomerListener implements CustomerListener {
  constructor(private readonly repository: AnswersRepository) {}

  async healthConsentWithdrawn(customerId: string): Promise<void> {
    await this.repository.deleteHealthData(customerId);
  }
}
