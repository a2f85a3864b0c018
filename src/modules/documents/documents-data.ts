import { Injectable } from '@nestjs/common';
import { Listeners, Listens } from '../../platform/discovery/listeners.js';
import { bookingIdsOf, type HeldData, type Person, PersonalDataHolder } from '../customers/index.js';
import { AttachmentErasuresService } from './attachments/attachment-erasures.service.js';
import { type AttachmentSubject, AttachmentSubjects } from './attachments/attachment-subjects.js';
import { AttachmentsRepository } from './attachments/attachments.repository.js';
import { DocumentErasuresService } from './records/document-erasures.service.js';
import { DocumentPrinter } from './kinds/document-kinds.js';
import { RecordDocumentsRepository } from './records/record-documents.repository.js';

const REASON = 'The data of the customer was erased on request';

/**
 * Collects and erases the files on a customer and on other records about the person, and the documents that name the person. It comes
 * first, because the other modules erase the names and addresses by which the records are found.
 */
@Injectable()
@Listens(PersonalDataHolder, 5)
export class DocumentsData implements PersonalDataHolder {
  readonly module = 'documents';

  constructor(
    private readonly attachments: AttachmentsRepository,
    private readonly attachmentErasures: AttachmentErasuresService,
    private readonly documents: RecordDocumentsRepository,
    private readonly documentErasures: DocumentErasuresService,
    private readonly listeners: Listeners,
  ) {}

  /**
   * The files themselves are not part of an export, which is one JSON file: staff download attachments by their ids, and the export
   * contains the data that documents print.
   */
  async collect(person: Person): Promise<HeldData[]> {
    const attachments = (await this.attachments.listOf(await this.subjectsOf(person))).map(
      ({ id, subjectType, subjectId, fileName, contentType, sizeBytes, visibility, createdAt, deletedAt }) => {
        return { id, subjectType, subjectId, fileName, contentType, sizeBytes, visibility, createdAt, deletedAt };
      },
    );
    const printed = await this.documents.listOf(await this.listeners.one(DocumentPrinter).documentsOf(person));
    const documents = printed.map(({ id, kind, subjectType, subjectId, language, version, status, createdAt }) => {
      return { id, kind, subjectType, subjectId, language, version, status, createdAt };
    });
    return [
      { dataClass: 'contact', kind: 'attachments', keptUntil: null, records: attachments },
      { dataClass: 'travel', kind: 'documents', keptUntil: null, records: documents },
    ];
  }

  async erase(person: Person): Promise<number> {
    const printed = await this.listeners.one(DocumentPrinter).documentsOf(person);
    const attachments = await this.attachmentErasures.erase(await this.subjectsOf(person), REASON);
    return attachments + (await this.documentErasures.erase(printed, REASON));
  }

  private async subjectsOf(person: Person): Promise<AttachmentSubject[]> {
    return [
      ...person.customerIds.map((subjectId) => ({ subjectType: 'customer', subjectId }) as const),
      ...bookingIdsOf(person).map((subjectId) => ({ subjectType: 'booking', subjectId }) as const),
      ...(await this.listeners.one(AttachmentSubjects).recordsOf(person)),
    ];
  }
}
