import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { StoredFile } from '../../../platform/files/file-store.js';
import { named } from '../../../platform/http/named-values.js';

export const EXPORT_STATUSES = named('DataExportStatus', ['pending', 'ready', 'expired']);
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

const POLL_MS = 1_000;

/** A file with everything about a customer, kept for some days. */
@Entity('customer_data_exports')
export class DataExport extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'customer_id' }) customerId: string;
  @Column('text') status: ExportStatus;
  @Unaudited('names the file in the store')
  @Column('text', { name: 'storage_key', nullable: true })
  storageKey: string | null;
  @Column('integer', { name: 'size_bytes', nullable: true }) sizeBytes: number | null;
  @Column('text', { name: 'requested_by' }) requestedBy: string;
  @Column('timestamptz', { name: 'ready_at', nullable: true }) readyAt: Date | null;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  complete({ key, sizeBytes }: StoredFile, { now, expiresAt }: { now: Date; expiresAt: Date }): void {
    Object.assign(this, { status: 'ready', storageKey: key, sizeBytes, readyAt: now, expiresAt, updatedAt: now });
  }

  expire(now: Date): void {
    Object.assign(this, { status: 'expired', storageKey: null, updatedAt: now });
  }

  /** The key of the file. Throws 409 before it is ready, and 410 after it expired. */
  downloadable(now: Date): string {
    if (this.status === 'pending') {
      throw new AppError(409, 'export_not_ready', 'The export is not ready yet', { retryAfterMs: POLL_MS });
    }
    if (this.storageKey === null || this.expiresAt === null || this.expiresAt <= now) {
      throw exportExpired();
    }
    return this.storageKey;
  }
}

export function exportExpired(): AppError {
  return new AppError(410, 'export_expired', 'The export has expired; request another one');
}
