import { Injectable } from '@nestjs/common';
import { Listeners, Listens } from '../../../platform/discovery/listeners.js';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { PayloadErasuresService } from '../../action-ledger/index.js';
import { bookingIdsOf, type HeldData, type Person, PersonalDataHolder } from '../../customers/index.js';
import { type AttachmentSubject, AttachmentSubjects } from './attachment-subjects.js';
import { AttachmentsRepository } from './attachments.repository.js';

const REASON = 'The data of the customer was erased on request';

/** Collects and erases the files on a customer, and on other records about the person. */
@Injectable()
@Listens(PersonalDataHolder, 65)
export class AttachmentData implements PersonalDataHolder {
  readonly module = 'documents';

  constructor(
    private readonly repository: AttachmentsRepository,
    private readonly enclosed: EnclosedFiles,
    private readonly payloads: PayloadErasuresService,
    private readonly listeners: Listeners,
  ) {}

  /** The files themselves are not part of an export, which is one JSON file: staff download them by their ids. */
  async collect(person: Person): Promise<HeldData[]> {
    const attachments = await this.repository.listOf(await this.subjectsOf(person));
    const records = attachments.map(
      ({ id, subjectType, subjectId, fileName, contentType, sizeBytes, visibility, createdAt, deletedAt }) => {
        return { id, subjectType, subjectId, fileName, contentType, sizeBytes, visibility, createdAt, deletedAt };
      },
    );
    return [{ dataClass: 'contact', kind: 'attachments', keptUntil: null, records }];
  }

  /** Bytes that the attachment of another record has as well are kept. */
  async erase(person: Person): Promise<number> {
    const deleted = await this.repository.deleteOf(await this.subjectsOf(person));
    const ids = deleted.map(({ id }) => id);
    await this.payloads.eraseAbout('attachment', ids, REASON);
    const unnamed = await this.repository.lockUnnamedOf(deleted.flatMap(({ contentKey }) => contentKey ?? []));
    for (const key of unnamed) await this.enclosed.delete(key);
    await this.repository.deleteContents(unnamed);
    return deleted.length;
  }

  private async subjectsOf(person: Person): Promise<AttachmentSubject[]> {
    return [
      ...person.customerIds.map((subjectId) => ({ subjectType: 'customer', subjectId }) as const),
      ...bookingIdsOf(person).map((subjectId) => ({ subjectType: 'booking', subjectId }) as const),
      ...(await this.listeners.one(AttachmentSubjects).recordsOf(person)),
    ];
  }
}
