import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, Ignored, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import {
  DOCUMENT_KINDS,
  DOCUMENT_SUBJECT_TYPES,
  type DocumentKind,
  type DocumentSubjectType,
  REQUESTED_KINDS,
  type RequestedKind,
} from '../kinds/document-kinds.js';
import { DOCUMENT_STATUSES, type DocumentStatus, type RecordDocument } from './record-document.entity.js';

const MAX_SUBJECT_ID = 128;

/** The document to print. */
export class CreateRecordDocument {
  @Ignored()
  id?: undefined;

  /**
   * Kind of the document. `confirmation` and `itinerary` print a booking or a trip, `manifest` and `rooming_list` a departure. The
   * other kinds have operations of their own.
   * @example "confirmation"
   */
  @OneOf(REQUESTED_KINDS)
  kind: RequestedKind;

  /**
   * Kind of the record.
   * @example "booking"
   */
  @OneOf(DOCUMENT_SUBJECT_TYPES)
  subjectType: DocumentSubjectType;

  /**
   * Record to print.
   * @example "book_01k0dem000e000000000000001"
   */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string;

  /**
   * Language of the document; by default the language of the customer if documents exist in it, otherwise of the organization's profile.
   * @example "en"
   */
  @Optional()
  @OneOf(DOCUMENT_LANGUAGES)
  language?: DocumentLanguage;
}

export class ListRecordDocuments extends PageQuery {
  /** Only documents of these kinds. */
  @Optional()
  @AnyOf(DOCUMENT_KINDS)
  kind?: DocumentKind[];

  /** Only documents about records of these kinds. */
  @Optional()
  @AnyOf(DOCUMENT_SUBJECT_TYPES)
  subjectType?: DocumentSubjectType[];

  /** Only documents about this record. */
  @Optional()
  @Text({ max: MAX_SUBJECT_ID })
  subjectId?: string;

  /** Only documents in one of these statuses. */
  @Optional()
  @AnyOf(DOCUMENT_STATUSES)
  status?: DocumentStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'readyAt', 'kind'])
  sort?: string;
}

export class DownloadRecordDocument {
  /** Whether to accept a document whose data has changed, or that a newer version has replaced; false by default. */
  @Optional()
  @QueryFlag()
  allowStale?: boolean;
}

/** A PDF about a record, or the request for one. */
export class RecordDocumentResponse {
  @Id('doc')
  id: string;

  /** Kind of the document. */
  @OneOf(DOCUMENT_KINDS)
  kind: DocumentKind;

  /** Kind of the record. */
  @OneOf(DOCUMENT_SUBJECT_TYPES)
  subjectType: DocumentSubjectType;

  /** Record that the document prints. */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string;

  /** Name of the record; null if it was deleted. */
  @Text({ max: 1_000 })
  subjectTitle: string | null;

  /** Language of the document. */
  @OneOf(DOCUMENT_LANGUAGES)
  language: DocumentLanguage;

  /** Counts the documents of one kind, record and language, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  /** `pending` while rendering, `stale` once a newer version of the same kind, record and language is ready. */
  @OneOf(DOCUMENT_STATUSES)
  status: DocumentStatus;

  /** Whether it is titled as an offer, because the record was not booked; null until it is rendered. */
  @Flag()
  isOffer: boolean | null;

  /** Template (prefix `dtpl`) of the document; null for the built-in layout. */
  @Id('dtpl')
  templateId: string | null;

  /** Version of the template or of the built-in layout. */
  @Whole({ min: 1, max: 2_147_483_647 })
  templateVersion: number;

  /** SHA-256 of the data that it shows, hexadecimal; null until it is rendered. */
  @Text({ max: 64 })
  dataSha256: string | null;

  /** SHA-256 of the PDF, hexadecimal; null until it is rendered. */
  @Text({ max: 64 })
  sha256: string | null;

  /** Size of the PDF in bytes; null until it is rendered. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  sizeBytes: number | null;

  /** User or API token that requested it, or `system`. */
  @Text({ max: 100 })
  createdBy: string;

  @Instant()
  createdAt: string;

  /** When rendering finished; null until then. */
  @Instant()
  readyAt: string | null;
}

/** A document with the name of its record. */
export interface RecordDocumentView {
  document: RecordDocument;
  subjectTitle: string | null;
}

export function toRecordDocument({ document, subjectTitle }: RecordDocumentView): RecordDocumentResponse {
  return respond(RecordDocumentResponse, document, { subjectTitle });
}

export class RecordDocumentEnvelope extends dataOf(RecordDocumentResponse) {}
export class RecordDocumentPage extends pageOf(RecordDocumentResponse) {}
