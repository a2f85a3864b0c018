import { Injectable } from '@nestjs/common';
import { invalidField } from '../../../platform/errors/app-error.js';
import { OneOf, Optional } from '../../../platform/http/fields.js';
import { BookingsService } from '../../bookings/index.js';
import { type DocumentKind, type DocumentSubject, RecordDocumentsService } from '../../documents/index.js';
import { DeparturesService } from '../../operations/index.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import { type BulkList, type BulkType, listOfBookings, listOfDepartures } from './bulk-type.js';

type SubjectType = DocumentSubject['subjectType'];

/** The kinds of documents, and the records that each prints. */
const SUBJECTS: Readonly<Record<DocumentKind, readonly SubjectType[]>> = {
  confirmation: ['booking', 'trip'],
  itinerary: ['booking', 'trip'],
  manifest: ['departure'],
  rooming_list: ['departure'],
};

/** What is printed of each record. */
class CreateDocuments {
  @OneOf(Object.keys(SUBJECTS))
  kind: DocumentKind;

  @OneOf(['booking', 'trip', 'departure'])
  subjectType: SubjectType;

  @Optional()
  @OneOf(DOCUMENT_LANGUAGES)
  language?: DocumentLanguage;
}

/** Prints a new version of a document of each record. */
@Injectable()
export class CreateDocumentsType implements BulkType<CreateDocuments> {
  readonly name = 'documents.create';
  readonly scopes = ['documents:write'];
  readonly params = CreateDocuments;

  constructor(
    private readonly documents: RecordDocumentsService,
    private readonly bookings: BookingsService,
    private readonly departures: DeparturesService,
  ) {}

  listFor({ subjectType }: CreateDocuments): BulkList {
    if (subjectType === 'booking') return listOfBookings(this.bookings);
    if (subjectType === 'departure') return listOfDepartures(this.departures);
    throw invalidField('filters', 'Only bookings and departures can be selected by filters', 'not_applicable');
  }

  check({ kind, subjectType }: CreateDocuments): void {
    if (SUBJECTS[kind].includes(subjectType)) return;
    throw invalidField('params.subjectType', `A ${kind} does not print a ${subjectType}`, 'not_of_kind');
  }

  async run(subjectId: string, params: CreateDocuments): Promise<void> {
    await this.documents.create({ ...params, subjectId });
  }
}
