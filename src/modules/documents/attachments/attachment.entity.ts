import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Impersonal, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { AttachmentSubjectType } from './attachment-subjects.js';
import type { FileType } from './file-type.js';

export const ATTACHMENT_VISIBILITIES = named('AttachmentVisibility', ['internal', 'customer', 'sensitive']);
export type AttachmentVisibility = (typeof ATTACHMENT_VISIBILITIES)[number];

export const ATTACHMENT_STATUSES = named('AttachmentStatus', ['uploading', 'ready', 'refused']);
export type AttachmentStatus = (typeof ATTACHMENT_STATUSES)[number];

/** What is known of a received file. */
export interface ReceivedFile {
  contentType: FileType;
  sha256: string;
  contentKey: string;
}

/** A file on a record. */
@Entity('attachments')
@Rights(DELETE)
export class Attachment extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'subject_type' }) subjectType: AttachmentSubjectType;
  @Column('text', { name: 'subject_id' }) subjectId: string;
  @Personal('contact')
  @Column('text', { name: 'file_name' })
  fileName: string;
  @Column('integer', { name: 'size_bytes' }) sizeBytes: number;
  @Impersonal()
  @Column('text')
  visibility: AttachmentVisibility;
  @Column('text') status: AttachmentStatus;
  /** Null until the file is ready. */
  @Column('text', { name: 'content_type', nullable: true })
  contentType: FileType | null;
  /** SHA-256 of the file as it was sent. */
  @Column('text', { name: 'sha256', nullable: true }) sha256: string | null;
  /** Names the stored bytes; null until the file is ready, and after the bytes were released. */
  @Unaudited('a deletion is reversed with the key that the row still has')
  @Column('text', { name: 'content_key', nullable: true })
  contentKey: string | null;
  /** The user who created it, or `system`. */
  @Column('text', { name: 'created_by' }) createdBy: string;
  @Column('timestamptz', { name: 'ready_at', nullable: true }) readyAt: Date | null;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** The id with which the content is encrypted; null: it is stored as it is. */
  get sealedFor(): string | null {
    return this.visibility === 'sensitive' ? this.id : null;
  }

  complete(file: ReceivedFile, now: Date): void {
    Object.assign(this, file, { status: 'ready', readyAt: now, updatedAt: now });
  }

  refuse(now: Date): void {
    Object.assign(this, { status: 'refused', updatedAt: now });
  }

  delete(now: Date): void {
    Object.assign(this, { deletedAt: now, updatedAt: now });
  }

  /** Reverses the deletion. Throws 409 once the bytes were released. */
  restore(now: Date): void {
    if (this.status === 'ready' && this.contentKey === null) {
      throw conflict('attachment_bytes_deleted', 'The bytes of the file were deleted', { attachmentId: this.id });
    }
    Object.assign(this, { deletedAt: null, updatedAt: now });
  }

  /** The key of the stored bytes. Throws 409 `file_not_ready` before the upload, and 410 if they were deleted. */
  downloadable(): string {
    const { status, contentKey } = this;
    if (status !== 'ready') throw conflict('file_not_ready', `The file is ${status}`, { status });
    if (contentKey === null) throw fileMissing();
    return contentKey;
  }
}

export function fileMissing(): AppError {
  return new AppError(410, 'attachment_file_missing', 'The file was removed from storage');
}
