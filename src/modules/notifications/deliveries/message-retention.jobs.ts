import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ReminderRunsRepository } from '../runs/reminder-runs.repository.js';
import { MessagesService } from '../messages/messages.service.js';

const BATCH = 1_000;

/**
 * Deletes the personal data of messages and reminder runs after `MESSAGE_RETENTION_MONTHS`, and keeps their times and outcomes.
 */
@Injectable()
export class MessageRetentionJobs {
  constructor(
    private readonly messages: MessagesService,
    private readonly runs: ReminderRunsRepository,
    private readonly env: Env,
  ) {}

  /** Each batch has its own transaction, so a stopped job continues with the next batch. */
  @Cron('notifications.messages.retention', '47 3 * * *')
  async erasePast(): Promise<void> {
    const months = this.env.messageRetentionMonths;
    while ((await this.messages.eraseOlderThan(months, BATCH)) === BATCH);
    while ((await this.runs.eraseRecipientsOlderThan(months, BATCH)) === BATCH);
  }
}
