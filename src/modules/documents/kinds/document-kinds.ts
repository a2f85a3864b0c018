import { extensible, named } from '../../../platform/http/named-values.js';
import type { Person } from '../../customers/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import type { AttachmentSubject } from '../attachments/attachment-subjects.js';
import type { Block, DocumentTexts } from '../layout/blocks.js';

export const DOCUMENT_KINDS = extensible('RecordDocumentKind', [
  'confirmation',
  'itinerary',
  'manifest',
  'rooming_list',
]);
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Kinds with operations of their own. */
const OTHER_KINDS = ['voucher', 'ticket', 'invoice', 'credit_note'] as const;
export const REQUESTED_KINDS = named('RequestedDocumentKind', [...DOCUMENT_KINDS, ...OTHER_KINDS]);
export type RequestedKind = (typeof REQUESTED_KINDS)[number];

export const DOCUMENT_SUBJECT_TYPES = extensible('RecordDocumentSubjectType', ['booking', 'trip', 'departure']);
export type DocumentSubjectType = (typeof DOCUMENT_SUBJECT_TYPES)[number];

/** The record that a document prints. */
export type DocumentSubject = AttachmentSubject & { subjectType: DocumentSubjectType };

const VOUCHERS = 'GET /v1/admin/bookings/{bookingId}/voucher-document';
const OPERATIONS: Readonly<Record<(typeof OTHER_KINDS)[number], string>> = {
  voucher: VOUCHERS,
  ticket: VOUCHERS,
  invoice: 'POST /v1/admin/finance/invoices/{id}/renditions',
  credit_note: 'POST /v1/admin/finance/credit-notes/{id}/renditions',
};

interface KindRule {
  subjectTypes: readonly DocumentSubjectType[];
  /** Scopes to read it, besides those of its record. */
  scopes: readonly string[];
}

export const KIND_RULES: Readonly<Record<DocumentKind, KindRule>> = {
  confirmation: { subjectTypes: ['booking', 'trip'], scopes: [] },
  itinerary: { subjectTypes: ['booking', 'trip'], scopes: [] },
  manifest: { subjectTypes: ['departure'], scopes: [] },
  rooming_list: { subjectTypes: ['departure'], scopes: ['bookings:read'] },
};

/** Documents of a booked trip print its booking. */
const FURTHER_SCOPES: Readonly<Record<DocumentSubjectType, readonly string[]>> = {
  booking: [],
  trip: ['bookings:read'],
  departure: [],
};

/** The scopes to read documents about records of this type, besides the one of the record. */
export function furtherScopesOf(subjectType: DocumentSubjectType): readonly string[] {
  return FURTHER_SCOPES[subjectType];
}

/** Lists of people have many columns. */
export function orientationOf(kind: DocumentKind): 'portrait' | 'landscape' {
  return KIND_RULES[kind].subjectTypes.includes('departure') ? 'landscape' : 'portrait';
}

/** The operation that prints documents of this kind; null if it is this one. */
export function otherOperationOf(kind: RequestedKind): string | null {
  const other = OTHER_KINDS.find((one) => one === kind);
  return other === undefined ? null : OPERATIONS[other];
}

export function isOwnKind(kind: RequestedKind): kind is DocumentKind {
  return otherOperationOf(kind) === null;
}

export interface DocumentSource extends DocumentSubject {
  kind: DocumentKind;
}

/** A layout without a template: blocks, or a script of the module that gets this data. */
type BuiltInLayout = { blocks: readonly Block[] } | { script: URL; data: object };

/** A document with the present data of its record. */
export interface PrintableDocument {
  /** Without an ending and without personal data. */
  fileName: string;
  /** Whether it prints an offer, because the record is not booked yet. */
  isOffer: boolean;
  title: string;
  /** The values of the placeholders of its kind. */
  texts: DocumentTexts;
  builtIn: BuiltInLayout;
  /** The data that it shows: a document whose data has changed since is stale. */
  shown: object;
  /** IDs of the bookings, travelers and customers that it names. */
  namedIds: readonly string[];
}

/** Documents about these records, and those that named these bookings, travelers and customers when they were printed. */
export interface DocumentSelection {
  subjects: readonly DocumentSubject[];
  namedIds: readonly string[];
}

/** Reads what documents print. One higher module declares it with `@Listens(DocumentPrinter, ...)`. */
export abstract class DocumentPrinter {
  /** Throws 404 if the record is unknown, and 409 or 422 if it has no such document now. */
  abstract read(source: DocumentSource, language: DocumentLanguage): Promise<PrintableDocument>;

  /** The language tag of the customer who gets the document; null if unknown. Throws 404. */
  abstract languageOf(subject: DocumentSubject): Promise<string | null>;

  /** The booking whose customer gets the document; null if it goes to no customer. */
  abstract bookingOf(source: DocumentSource): Promise<string | null>;

  /** The documents that name this person. */
  abstract documentsOf(person: Person): Promise<DocumentSelection>;

  /** Records with documents that were deleted, or whose personal data has ended. */
  abstract listEnded(limit: number): Promise<DocumentSubject[]>;
}
