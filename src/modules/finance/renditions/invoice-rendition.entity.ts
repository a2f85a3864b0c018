import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

import type { RenditionLanguage } from './rendition-words.js';

export const RENDITION_FORMATS = named('RenditionFormat', ['html', 'pdf']);
export type RenditionFormat = (typeof RENDITION_FORMATS)[number];

export const RENDITION_STATUSES = named('RenditionStatus', ['pending', 'ready', 'stale', 'failed']);
export type RenditionStatus = (typeof RENDITION_STATUSES)[number];

/** One rendered file of an issued invoice, and how far it is. */
@Entity('invoice_renditions')
export class InvoiceRendition {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'invoice_id' }) invoiceId: string;
  @Column('text') format: RenditionFormat;
  @Column('text') language: RenditionLanguage;
  /** Counts the renditions of one format and language. */
  @Column('integer') version: number;
  @Column('text') status: RenditionStatus;
  @Column('text', { name: 'storage_key', nullable: true }) storageKey: string | null;
  @Column('text', { nullable: true }) sha256: string | null;
  @Column('bigint', { name: 'size_bytes', nullable: true, transformer: safeInteger }) sizeBytes: number | null;
  @Column('integer') attempts: number;
  /** Until then it belongs to the process that is rendering it. */
  @Column('timestamptz', { name: 'lease_until', nullable: true }) leaseUntil: Date | null;
  @Column('text', { nullable: true }) failure: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'ready_at', nullable: true }) readyAt: Date | null;
}
