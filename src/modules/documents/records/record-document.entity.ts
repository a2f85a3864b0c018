import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { DELETE, Impersonal, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { named } from '../../../platform/http/named-values.js';
import type { DocumentLanguage } from '../../organization/index.js';
import type { CompanyCopy } from '../layout/company-values.js';
import type { DocumentKind, DocumentSubjectType } from '../kinds/document-kinds.js';

export const DOCUMENT_STATUSES = named('RecordDocumentStatus', ['pending', 'ready', 'stale', 'failed']);
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

const MAX_ATTEMPTS = 5;

/** The file of a document, encrypted for it. */
export interface RenderedFile {
  fileName: string;
  isOffer: boolean;
  dataSha256: string;
  contentKey: string;
  sha256: string;
  sizeBytes: number;
  namedIds: readonly string[];
}

/** A PDF about a record, or the request for one. */
@Entity('record_documents')
@Rights(DELETE)
export class RecordDocument extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: DocumentKind;
  @Column('text', { name: 'subject_type' }) subjectType: DocumentSubjectType;
  @Column('text', { name: 'subject_id' }) subjectId: string;
  @Column('text') language: DocumentLanguage;
  /** Counts the documents of one kind, record and language; it is not the version of the row. */
  @Column('integer') version: number;
  @Column('text') status: DocumentStatus;
  /** Null until it is rendered. */
  @Column('boolean', { name: 'is_offer', nullable: true }) isOffer: boolean | null;
  /** The template that was published when it was requested; null for the built-in layout. */
  @Column('text', { name: 'template_id', nullable: true }) templateId: string | null;
  /** Version of the template or of the built-in layout. */
  @Column('integer', { name: 'template_version' }) templateVersion: number;
  @Personal('company')
  @Unaudited('the profile of the organization has its own entries')
  @Column('jsonb')
  company: CompanyCopy;
  /** SHA-256 of the data that it shows. */
  @Column('text', { name: 'data_sha256', nullable: true }) dataSha256: string | null;
  @Impersonal()
  @Column('text', { name: 'file_name', nullable: true })
  fileName: string | null;
  /** Names the stored bytes, already before they are stored. */
  @Unaudited('opens the file')
  @Column('text', { name: 'content_key', nullable: true })
  contentKey: string | null;
  @Column('text', { nullable: true }) sha256: string | null;
  @Column('bigint', { name: 'size_bytes', nullable: true, transformer: safeInteger }) sizeBytes: number | null;
  /** Bookings, travelers and customers that the file names, by which an erasure finds it after they have left the record. */
  @Unaudited('an erasure needs it as long as the file exists')
  @Column('text', { name: 'named_ids', array: true })
  namedIds: string[];
  /** The number of started attempts, including interrupted ones but not postponed ones. */
  @Unaudited('progress of the job that makes the file')
  @Column('integer')
  attempts: number;
  /** Message of the last error. */
  @Impersonal()
  @Unaudited('progress of the job that makes the file')
  @Column('text', { nullable: true })
  failure: string | null;
  /** The user who requested it, or `system`. */
  @Column('text', { name: 'created_by' }) createdBy: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'ready_at', nullable: true }) readyAt: Date | null;

  /** Returns false, and fails the document, if all attempts are used up. */
  startAttempt(): boolean {
    if (this.attempts >= MAX_ATTEMPTS) {
      Object.assign(this, { status: 'failed', failure: 'The last attempt did not end' });
      return false;
    }
    this.attempts += 1;
    return true;
  }

  /** Returns true, and fails the document, if this was the last attempt or a further one would fail too. */
  failAttempt(failure: string, isFinal: boolean): boolean {
    const isLast = isFinal || this.attempts >= MAX_ATTEMPTS;
    Object.assign(this, { status: isLast ? 'failed' : 'pending', failure: failure.slice(0, 500) });
    return isLast;
  }

  /** Does not count the attempt, because rendering did not fail. */
  postponeAttempt(failure: string): void {
    Object.assign(this, { attempts: this.attempts - 1, failure: failure.slice(0, 500) });
  }

  /** Becomes stale immediately if a newer version is already ready. */
  complete(file: RenderedFile, { hasNewer, now }: { hasNewer: boolean; now: Date }): void {
    Object.assign(this, file, { status: hasNewer ? 'stale' : 'ready', readyAt: now, failure: null });
  }
}
