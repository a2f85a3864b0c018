import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { AttachmentErasuresService } from './attachment-erasures.service.js';
import { AttachmentSubjects } from './attachment-subjects.js';
import { AttachmentsRepository } from './attachments.repository.js';

const KEPT_DAYS = 7;
/** Longer than an upload takes. */
const UPLOAD_SECONDS = 3_600;
const BATCH = 100;

/** Deletes attachments whose record has ended, and stored bytes that no attachment names. */
@Injectable()
export class AttachmentRetentionJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: AttachmentsRepository,
    private readonly enclosed: EnclosedFiles,
    private readonly erasures: AttachmentErasuresService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  /** Releases the bytes of attachments that were deleted seven days ago, then deletes the bytes that no other attachment has. */
  @Cron('documents.attachments.retention', '23 3 * * *')
  async deleteUnnamed(): Promise<void> {
    await this.repository.releaseContents(this.clock.inSeconds(-KEPT_DAYS * 24 * 3600));
    while ((await this.deleteBatch()) === BATCH);
  }

  /** Deletes the files on records that were deleted, or whose personal data was erased. Runs after the jobs that erase records. */
  @Cron('documents.attachments.erasure', '17 4 * * *')
  async eraseEnded(): Promise<void> {
    while ((await this.database.transaction(() => this.eraseBatch())) === BATCH);
  }

  private async eraseBatch(): Promise<number> {
    const ended = await this.listeners.one(AttachmentSubjects).listEnded(BATCH);
    await this.erasures.erase(ended);
    return ended.length;
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
