import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { DocumentLanguage } from '../../organization/index.js';
import type { Block } from '../layout/blocks.js';
import type { DocumentKind } from '../kinds/document-kinds.js';

export const DOCUMENT_TEMPLATE_STATUSES = named('DocumentTemplateStatus', ['draft', 'published', 'retired']);
export type DocumentTemplateStatus = (typeof DOCUMENT_TEMPLATE_STATUSES)[number];

/** A layout of one kind of documents in one language. Of each kind and language, at most one is published. */
@Entity('document_templates')
export class DocumentTemplate extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: DocumentKind;
  @Column('text') language: DocumentLanguage;
  @Impersonal()
  @Column('text')
  name: string;
  @Impersonal()
  @Column('jsonb')
  blocks: Block[];
  @Column('text') status: DocumentTemplateStatus;
  @Column('timestamptz', { name: 'published_at', nullable: true }) publishedAt: Date | null;
  @Column('timestamptz', { name: 'retired_at', nullable: true }) retiredAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 unless it is a draft: what was published stays as it was printed. */
  change(changes: { name?: string; blocks?: Block[] }, now: Date): void {
    if (this.status !== 'draft') {
      throw conflict('template_immutable', 'Only a draft can be changed', { status: this.status });
    }
    Object.assign(this, changes, { updatedAt: now });
  }

  publish(now: Date): void {
    if (this.status !== 'draft') throw this.cannotBecome('published');
    Object.assign(this, { status: 'published', publishedAt: now, updatedAt: now });
  }

  /** Also ends a draft. */
  retire(now: Date): void {
    if (this.status === 'retired') throw this.cannotBecome('retired');
    Object.assign(this, { status: 'retired', retiredAt: now, updatedAt: now });
  }

  /** Its retirement is reversed. */
  restore(now: Date): void {
    if (this.status !== 'retired') throw this.cannotBecome('published');
    const status = this.publishedAt === null ? 'draft' : 'published';
    Object.assign(this, { status, retiredAt: null, updatedAt: now });
  }

  private cannotBecome(to: DocumentTemplateStatus) {
    const from = this.status;
    return conflict('invalid_transition', `A template cannot go from ${from} to ${to}`, { from, to });
  }
}
