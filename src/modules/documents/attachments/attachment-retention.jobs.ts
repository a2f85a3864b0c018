import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { AttachmentsRepository } from './attachments.repository.js';

const KEPT_DAYS = 7;
/** Longer than an upload takes. */
const UPLOAD_SECONDS = 3_600;
const BATCH = 100;

/** Deletes stored bytes that no attachment names. */
@Injectable()
export class AttachmentRetentionJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: AttachmentsRepository,
    private readonly enclosed: EnclosedFiles,
    private readonly clock: Clock,
  ) {}

  /** Releases the bytes of attachments that were deleted seven days ago, then deletes the bytes that no other attachment has. */
  @Cron('documents.attachments.retention', '23 3 * * *')
  async deleteUnnamed(): Promise<void> {
    await this.repository.releaseContents(this.clock.inSeconds(-KEPT_DAYS * 24 * 3600));
    while ((await this.deleteBatch()) === BATCH);
  }

  private async deleteBatch(): Promise<number> {
    return this.database.transaction(async () => {
      const keys = await this.repository.lockUnnamedContents(this.clock.inSeconds(-UPLOAD_SECONDS), BATCH);
      for (const key of keys) await this.enclosed.delete(key);
      await this.repository.deleteContents(keys);
      return keys.length;
    });
  }
}
