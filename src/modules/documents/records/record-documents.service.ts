import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { assertScope, checkScope, hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError, conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { FileLinks } from '../../../platform/files/file-links.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { OrganizationService } from '../../organization/index.js';
import { DocumentTemplatesService } from '../templates/document-templates.service.js';
import { companyCopyOf } from '../layout/company-values.js';
import { AttachmentSubjects } from '../attachments/attachment-subjects.js';
import {
  DOCUMENT_KINDS,
  DOCUMENT_SUBJECT_TYPES,
  type DocumentKind,
  DocumentPrinter,
  type DocumentSource,
  type DocumentSubjectType,
  furtherScopesOf,
  isOwnKind,
  KIND_RULES,
  otherOperationOf,
  type PrintableDocument,
} from '../kinds/document-kinds.js';
import type { CreateRecordDocument, ListRecordDocuments, RecordDocumentView } from './record-document.dto.js';
import { RecordDocument } from './record-document.entity.js';
import { RecordDocumentsRepository } from './record-documents.repository.js';

export const RENDER_DOCUMENT = 'record-document.render';
/** Version of the built-in layouts; it rises when one of them changes. */
const LAYOUT_VERSION = 1;
const POLL_MS = 1_000;
const PDF = 'application/pdf';

interface StaleChoice {
  allowStale?: boolean;
}

/** A document as a mail carries it. */
export interface MailableDocument {
  bookingId: string;
  kind: DocumentKind;
  isOffer: boolean;
  fileName: string;
  sizeBytes: number;
}

/** Documents about records, which a job renders. Each needs the scope to read its record. */
@Injectable()
export class RecordDocumentsService {
  constructor(
    private readonly database: Database,
    private readonly repository: RecordDocumentsRepository,
    private readonly templates: DocumentTemplatesService,
    private readonly organization: OrganizationService,
    private readonly enclosed: EnclosedFiles,
    private readonly links: FileLinks,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Creates a new version of the document; a job renders it. */
  async create(
    { kind, subjectType, subjectId, language: requested }: CreateRecordDocument,
    { id = newId('doc'), createdBy = currentActor().principal }: { id?: string; createdBy?: string } = {},
  ): Promise<RecordDocumentView> {
    if (!isOwnKind(kind)) {
      const details = { field: 'kind', operation: otherOperationOf(kind) };
      throw unprocessable('document_kind_elsewhere', 'Another operation prints documents of this kind', details);
    }
    if (!KIND_RULES[kind].subjectTypes.includes(subjectType)) {
      throw invalidField('subjectType', `A ${kind} does not print a ${subjectType}`, 'not_of_kind');
    }
    const source = { kind, subjectType, subjectId };
    for (const scope of this.scopesOf(source)) assertScope(scope);
    const printer = this.listeners.one(DocumentPrinter);
    const language =
      requested ?? (await this.organization.languageFor(await printer.languageOf(source).catch(namedField)));
    await printer.read(source, language);
    const company = companyCopyOf(await this.organization.getProfile());
    const template = await this.templates.findPublished(kind, language);
    return this.database.transaction(async () => {
      await this.listeners.one(AttachmentSubjects).lock(source);
      const document = make(RecordDocument, {
        ...{ ...source, id, language, company, createdBy },
        version: await this.repository.nextVersion({ ...source, language }),
        ...{ status: 'pending', attempts: 0, namedIds: [], createdAt: this.clock.now() },
        ...{ templateId: template?.id ?? null, templateVersion: template?.version ?? LAYOUT_VERSION },
      });
      await this.repository.rows.insert(document);
      await this.jobs.add(RENDER_DOCUMENT, { documentId: id }, { key: id });
      const subject = { subjectType: 'record_document', subjectId: id };
      this.ledger.record('documents.document.create', { ...subject, before: null, after: document.auditImage() });
      return this.repository.get(id);
    });
  }

  async list(query: ListRecordDocuments): Promise<{ views: RecordDocumentView[]; total: number }> {
    for (const kind of query.kind ?? []) KIND_RULES[kind].scopes.forEach(checkScope);
    for (const type of query.subjectType ?? []) this.subjectScopesOf(type).forEach(checkScope);
    return this.repository.list(query, {
      kinds: query.kind ?? DOCUMENT_KINDS.filter((kind) => KIND_RULES[kind].scopes.every(hasScope)),
      subjectTypes:
        query.subjectType ?? DOCUMENT_SUBJECT_TYPES.filter((type) => this.subjectScopesOf(type).every(hasScope)),
    });
  }

  async get(id: string): Promise<RecordDocumentView> {
    const view = await this.repository.get(id);
    for (const scope of this.scopesOf(view.document)) checkScope(scope);
    return view;
  }

  /** Returns the path of a signed link to the file. */
  async linkTo(id: string, { allowStale = false }: StaleChoice): Promise<string> {
    const { document } = await this.get(id);
    const { fileName, contentKey: key, kind, subjectId } = document;
    await this.assertUsable(document, allowStale);
    if (key === null || fileName === null || !(await this.enclosed.has(key))) {
      throw new AppError(410, 'document_file_missing', 'The file was deleted; request a new document');
    }
    const file = { key, name: `${fileName}.pdf`, type: PDF, sealedFor: id };
    const { path } = await this.links.linkTo(file, currentActor().credentialId);
    // The ledger does not contain reads; the log shows who downloaded personal data.
    const download = { documentId: id, kind, subjectId, actor: currentActor().id };
    this.log.info({ download }, 'a document was downloaded');
    return path;
  }

  /** Returns a document that can be sent to the customer of a booking. Throws 409 unless it is ready, or it goes to no customer. */
  async getMailable(id: string, { allowStale = false }: StaleChoice): Promise<MailableDocument> {
    const { document } = await this.repository.get(id);
    for (const scope of this.scopesOf(document)) assertScope(scope);
    const bookingId = await this.listeners.one(DocumentPrinter).bookingOf(document);
    if (bookingId === null) throw conflict('document_not_for_customers', 'The document has no booking to send it to');
    await this.assertUsable(document, allowStale);
    const { kind, isOffer, fileName, sizeBytes } = document;
    const file = { fileName: `${fileName ?? kind}.pdf`, sizeBytes: sizeBytes ?? 0 };
    return { bookingId, kind, isOffer: isOffer ?? false, ...file };
  }

  /** Throws 403 unless the caller may read the document. Does nothing if it does not exist. */
  async assertReadableIfPresent(id: string): Promise<void> {
    const document = await this.repository.rows.find(id);
    for (const scope of document ? this.scopesOf(document) : []) assertScope(scope);
  }

  /** Returns the PDF; null if it was deleted. */
  async findContent(id: string): Promise<Buffer | null> {
    const document = await this.repository.rows.find(id);
    if (!document || document.readyAt === null || document.contentKey === null) return null;
    return this.enclosed.read(document.contentKey, id);
  }

  /** Throws 409 `document_not_ready`, `document_failed` or `document_stale`. */
  private async assertUsable(document: RecordDocument, allowStale: boolean): Promise<void> {
    switch (document.status) {
      case 'pending':
        throw new AppError(409, 'document_not_ready', 'The document is not ready yet', { retryAfterMs: POLL_MS });
      case 'failed':
        throw conflict('document_failed', 'Rendering failed; request a new document');
      case 'stale':
        if (allowStale) return;
        throw conflict('document_stale', 'A newer version is ready');
      case 'ready':
        if (allowStale || (await this.isCurrent(document))) return;
        throw conflict('document_stale', 'The data has changed; request a new document');
    }
  }

  /** A record that no longer has such a document has changed, too. */
  private async isCurrent(document: RecordDocument): Promise<boolean> {
    try {
      const printable = await this.listeners.one(DocumentPrinter).read(document, document.language);
      return digestOf(printable) === document.dataSha256;
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return false;
      throw error;
    }
  }

  private scopesOf({ kind, subjectType }: Pick<DocumentSource, 'kind' | 'subjectType'>): string[] {
    return [...this.subjectScopesOf(subjectType), ...KIND_RULES[kind].scopes];
  }

  private subjectScopesOf(type: DocumentSubjectType): string[] {
    return [this.listeners.one(AttachmentSubjects).subjectOf(type).readScope, ...furtherScopesOf(type)];
  }
}

/** Returns the SHA-256 of the data that a document shows. */
export function digestOf({ isOffer, shown }: PrintableDocument): string {
  return createHash('sha256').update(JSON.stringify({ isOffer, shown })).digest('hex');
}

/** The record is named in the body of the request. */
function namedField(error: unknown): never {
  if (error instanceof AppError && error.status === 404) throw notFound({ field: 'subjectId' });
  throw error;
}
