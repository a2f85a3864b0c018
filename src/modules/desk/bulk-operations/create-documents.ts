import { Injectable } from '@nestjs/common';
import { invalidField } from '../../../platform/errors/app-error.js';
import { OneOf, Optional } from '../../../platform/http/fields.js';
import { bookingSubject, BookingsService } from '../../bookings/index.js';
import { type DocumentKind, type DocumentSubject, RecordDocumentsService } from '../../documents/index.js';
import { departureSubject, DeparturesService } from '../../operations/index.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import { tripSubject } from '../../trips/index.js';
import { type BulkList, type BulkType, listOfBookings, listOfDepartures } from './bulk-type.js';

type SubjectType = DocumentSubject['subjectType'];

/** The records that each kind of documents prints, and the scopes that it needs besides those to read its record. */
const KINDS: Readonly<Record<DocumentKind, { subjectTypes: readonly SubjectType[]; scopes: readonly string[] }>> = {
  confirmation: { subjectTypes: ['booking', 'trip'], scopes: [] },
  itinerary: { subjectTypes: ['booking', 'trip'], scopes: [] },
  manifest: { subjectTypes: ['departure'], scopes: [] },
  rooming_list: { subjectTypes: ['departure'], scopes: ['bookings:read'] },
};

const READ_SCOPES: Readonly<Record<SubjectType, string>> = {
  booking: bookingSubject.readScope,
  trip: tripSubject.readScope,
  departure: departureSubject.readScope,
};

/** What is printed of each record. */
class CreateDocuments {
  @OneOf(Object.keys(KINDS))
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
  readonly scopes = ['documents:write'];
  readonly params = CreateDocuments;

  constructor(
    private readonly documents: RecordDocumentsService,
    private readonly bookings: BookingsService,
    private readonly departures: DeparturesService,
  ) {}

  scopesFor({ kind, subjectType }: CreateDocuments): string[] {
    return [READ_SCOPES[subjectType], ...KINDS[kind].scopes];
  }

  listFor({ subjectType }: CreateDocuments): BulkList {
    if (subjectType === 'booking') return listOfBookings(this.bookings);
    if (subjectType === 'departure') return listOfDepartures(this.departures);
    throw invalidField('filters', 'Only bookings and departures can be selected by filters', 'not_applicable');
  }

  check({ kind, subjectType }: CreateDocuments): void {
    if (KINDS[kind].subjectTypes.includes(subjectType)) return;
    throw invalidField('params.subjectType', `A ${kind} does not print a ${subjectType}`, 'not_of_kind');
  }

  async run(subjectId: string, params: CreateDocuments): Promise<void> {
    await this.documents.create({ ...params, subjectId });
  }
}
