import { Injectable } from '@nestjs/common';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { PayloadErasuresService } from '../../action-ledger/index.js';
import type { DocumentSelection } from '../kinds/document-kinds.js';
import { RecordDocumentsRepository } from './record-documents.repository.js';

/** Deletes the documents of records whose personal data ends. Those that are still needed can be printed again. */
@Injectable()
export class DocumentErasuresService {
  constructor(
    private readonly repository: RecordDocumentsRepository,
    private readonly enclosed: EnclosedFiles,
    private readonly payloads: PayloadErasuresService,
  ) {}

  /** Deletes documents with their files in the running transaction. Returns how many there were. */
  async erase(selection: DocumentSelection, reason?: string): Promise<number> {
    const deleted = await this.repository.deleteOf(selection);
    const ids = deleted.map(({ id }) => id);
    await this.payloads.eraseAbout('record_document', ids, reason);
    for (const { contentKey } of deleted) if (contentKey !== null) await this.enclosed.delete(contentKey);
    return deleted.length;
  }
}
