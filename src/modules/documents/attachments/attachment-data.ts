import { Injectable } from '@nestjs/common';
import { Listeners, Listens } from '../../../platform/discovery/listeners.js';
import { bookingIdsOf, type HeldData, type Person, PersonalDataHolder } from '../../customers/index.js';
import { AttachmentErasuresService } from './attachment-erasures.service.js';
import { type AttachmentSubject, AttachmentSubjects } from './attachment-subjects.js';
import { AttachmentsRepository } from './attachments.repository.js';

const REASON = 'The data of the customer was erased on request';

/**
 * Collects and erases the files on a customer, and on other records about the person. It comes first, because the other modules erase
 * the names and addresses by which the records are found.
 */
@Injectable()
@Listens(PersonalDataHolder, 5)
export class AttachmentData implements PersonalDataHolder {
  readonly module = 'documents';

  constructor(
    private readonly repository: AttachmentsRepository,
    private readonly erasures: AttachmentErasuresService,
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

  async erase(person: Person): Promise<number> {
    return this.erasures.erase(await this.subjectsOf(person), REASON);
  }

  private async subjectsOf(person: Person): Promise<AttachmentSubject[]> {
    return [
      ...person.customerIds.map((subjectId) => ({ subjectType: 'customer', subjectId }) as const),
      ...bookingIdsOf(person).map((subjectId) => ({ subjectType: 'booking', subjectId }) as const),
      ...(await this.listeners.one(AttachmentSubjects).recordsOf(person)),
    ];
  }
}
