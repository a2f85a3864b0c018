import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { extensible, named } from '../../../platform/http/named-values.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';

export const TEMPLATE_STATUSES = named('MessageTemplateStatus', ['draft', 'published', 'retired']);
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

export const MESSAGE_CATEGORIES = named('MessageCategory', ['transactional', 'marketing']);
export type MessageCategory = (typeof MESSAGE_CATEGORIES)[number];

export const TEMPLATE_CHANNELS = extensible('MessageTemplateChannel', ['email']);

/** One text of a template in one language. Of each slug and language, at most one is published; others are drafts or were replaced. */
@Entity('message_templates')
export class MessageTemplate extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') slug: string;
  @Column('text') channel: (typeof TEMPLATE_CHANNELS)[number];
  @Column('text') language: string;
  @Impersonal()
  @Column('text')
  category: MessageCategory;
  /** Null for messages that staff send. */
  @Column('text', { nullable: true }) trigger: LiveTrigger | null;
  @Impersonal()
  @Column('text')
  subject: string;
  @Impersonal()
  @Column('text')
  text: string;
  @Column('text') status: TemplateStatus;
  @Column('timestamptz', { name: 'published_at', nullable: true }) publishedAt: Date | null;
  @Column('timestamptz', { name: 'retired_at', nullable: true }) retiredAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 unless it is a draft: what was published stays as it was sent. */
  change(changes: { subject?: string; text?: string }, now: Date): void {
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

  private cannotBecome(to: TemplateStatus) {
    const from = this.status;
    return conflict('invalid_transition', `A template cannot go from ${from} to ${to}`, { from, to });
  }
}
