import { Injectable } from '@nestjs/common';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { PayloadErasuresService } from '../../action-ledger/index.js';
import type { AttachmentSubject } from './attachment-subjects.js';
import { AttachmentsRepository } from './attachments.repository.js';

/** Deletes the files on records whose personal data ends. */
@Injectable()
export class AttachmentErasuresService {
  constructor(
    private readonly repository: AttachmentsRepository,
    private readonly enclosed: EnclosedFiles,
    private readonly payloads: PayloadErasuresService,
  ) {}

  /**
   * Deletes the files on these records for good, with their payloads in the ledger, in the running transaction. Bytes that the
   * attachment of another record has as well are kept. Returns how many attachments were deleted.
   */
  async erase(subjects: readonly AttachmentSubject[], reason?: string): Promise<number> {
    const deleted = await this.repository.deleteOf(subjects);
    const ids = deleted.map(({ id }) => id);
    await this.payloads.eraseAbout('attachment', ids, reason);
    const unnamed = await this.repository.lockUnnamedOf(deleted.flatMap(({ contentKey }) => contentKey ?? []));
    for (const key of unnamed) await this.enclosed.delete(key);
    await this.repository.deleteContents(unnamed);
    return deleted.length;
  }
}
