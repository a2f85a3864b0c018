import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import type { StoredFile } from '../../../platform/files/file-store.js';
import { named } from '../../../platform/http/named-values.js';
import type { DocumentLanguage } from '../../organization/index.js';

export const RENDITION_FORMATS = named('RenditionFormat', ['html', 'pdf']);
export type RenditionFormat = (typeof RENDITION_FORMATS)[number];

export const RENDITION_STATUSES = named('RenditionStatus', ['pending', 'ready', 'stale', 'failed']);
export type RenditionStatus = (typeof RENDITION_STATUSES)[number];

const MAX_ATTEMPTS = 5;

/** A rendered file of an issued invoice, or the request for one. */
@Entity('invoice_renditions')
export class InvoiceRendition extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'invoice_id' }) invoiceId: string;
  @Column('text') format: RenditionFormat;
  @Column('text') language: DocumentLanguage;
  /** Counts the renditions of one format and language; it is not the version of the row. */
  @Column('integer') version: number;
  @Column('text') status: RenditionStatus;
  @Unaudited('opens the file')
  @Column('text', { name: 'storage_key', nullable: true })
  storageKey: string | null;
  @Column('text', { nullable: true }) sha256: string | null;
  @Column('bigint', { name: 'size_bytes', nullable: true, transformer: safeInteger }) sizeBytes: number | null;
  /** The number of started attempts, including interrupted ones but not postponed ones. */
  @Unaudited('progress of the job that makes the file')
  @Column('integer')
  attempts: number;
  /** Message of the last error. */
  @Impersonal()
  @Unaudited('progress of the job that makes the file')
  @Column('text', { nullable: true })
  failure: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'ready_at', nullable: true }) readyAt: Date | null;

  /** Returns false, and fails the rendition, if all attempts are used up. */
  startAttempt(): boolean {
    if (this.attempts >= MAX_ATTEMPTS) {
      Object.assign(this, { status: 'failed', failure: 'The last attempt did not end' });
      return false;
    }
    this.attempts += 1;
    return true;
  }

  /** Returns true, and fails the rendition, if this was the last attempt. */
  failAttempt(failure: string): boolean {
    const isLast = this.attempts >= MAX_ATTEMPTS;
    Object.assign(this, { status: isLast ? 'failed' : 'pending', failure: failure.slice(0, 500) });
    return isLast;
  }

  /** Does not count the attempt, because rendering did not fail. */
  postponeAttempt(failure: string): void {
    Object.assign(this, { attempts: this.attempts - 1, failure: failure.slice(0, 500) });
  }

  /** Becomes stale immediately if a newer version is already ready. */
  complete({ key, sizeBytes }: StoredFile, { hasNewer, now }: { hasNewer: boolean; now: Date }): void {
    const status = hasNewer ? 'stale' : 'ready';
    Object.assign(this, { status, storageKey: key, sha256: key, sizeBytes, readyAt: now, failure: null });
  }
}
