import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Derived } from '../../../platform/database/unaudited.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { Cutoff } from './cutoff.dto.js';
import { type ProductKind, type ProductMedia, type ProductText, textIn } from './product-texts.js';
import type { ResourceType } from './resource-types.js';
import type { VoucherRule } from './voucher-rules.js';

/** `price-lists` is a path beside the products. */
export const PRODUCT_ID = /^(?!price-lists$)[A-Za-z0-9._:-]{1,128}$/;

export const PRODUCT_STATUSES = named('ProductStatus', ['draft', 'active', 'archived']);
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

export const CONTACT_FIELDS = ['email', 'phone', 'address', 'language'] as const;
export const TRAVELER_FIELDS = [
  'firstName',
  'lastName',
  'birthDate',
  'gender',
  'nationality',
  'language',
  'phone',
  'email',
  'emergencyContact',
  'document',
] as const;

export interface ResourceNeed {
  type: ResourceType;
  quantity: number;
}

export interface ProductChanges {
  name?: string;
  kind?: ProductKind;
  timeZone?: string;
  durationMinutes?: number | null;
  defaultCapacity?: number | null;
  facilityId?: string | null;
  taxCodeId?: string | null;
  cutoff?: Cutoff | null;
  minParticipants?: number | null;
  decideDaysBefore?: number | null;
  requiredContactFields?: string[];
  requiredTravelerFields?: string[];
  resourceNeeds?: ResourceNeed[];
  bufferBeforeMinutes?: number;
  bufferAfterMinutes?: number;
  issueVouchers?: VoucherRule;
  texts?: ProductText[];
  media?: ProductMedia[];
}

/** What is sold on departures. Departures and allotments name it by its id, which never changes, also without this record. */
@Entity('products')
export class Product extends Audited {
  @PrimaryColumn('text') id: string;
  @Impersonal()
  @Column('text')
  name: string;
  @Column('text') kind: ProductKind;
  @Column('text') status: ProductStatus;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  @Column('integer', { name: 'duration_minutes', nullable: true }) durationMinutes: number | null;
  @Column('integer', { name: 'default_capacity', nullable: true }) defaultCapacity: number | null;
  /** Meeting point. */
  @Column('text', { name: 'facility_id', nullable: true }) facilityId: string | null;
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  @Impersonal()
  @Column('jsonb', { nullable: true })
  cutoff: Cutoff | null;
  @Column('integer', { name: 'min_participants', nullable: true }) minParticipants: number | null;
  @Column('integer', { name: 'decide_days_before', nullable: true }) decideDaysBefore: number | null;
  @Column('text', { name: 'required_contact_fields', array: true })
  requiredContactFields: string[];
  @Column('text', { name: 'required_traveler_fields', array: true })
  requiredTravelerFields: string[];
  @Impersonal()
  @Column('jsonb', { name: 'resource_needs' })
  resourceNeeds: ResourceNeed[];
  /** How long the resources of a departure are needed before its start and after its end. */
  @Column('integer', { name: 'buffer_before_minutes' }) bufferBeforeMinutes: number;
  @Column('integer', { name: 'buffer_after_minutes' }) bufferAfterMinutes: number;
  @Impersonal()
  @Column('text', { name: 'issue_vouchers' })
  issueVouchers: VoucherRule;
  @Impersonal()
  @Column('jsonb')
  texts: ProductText[];
  @Impersonal()
  @Column('jsonb')
  media: ProductMedia[];
  /** What a search compares with; the database folds it. */
  @Derived('`id`, `name`, `texts`')
  @Column('text', { name: 'search_terms' })
  searchTerms: string;
  @Column('timestamptz', { name: 'activated_at', nullable: true }) activatedAt: Date | null;
  @Column('timestamptz', { name: 'archived_at', nullable: true }) archivedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** The title in the language, otherwise in its parent language; the name without either. */
  titleIn(language: string | null): string {
    return textIn(this.texts, language, 'title') ?? this.name;
  }

  change(changes: ProductChanges, now: Date): void {
    this.assertNotArchived();
    Object.assign(this, changes, { updatedAt: now });
    this.derive();
  }

  activate(now: Date): void {
    this.assertNotArchived();
    if (this.status === 'active') {
      const details = { from: 'active', to: 'active', allowed: ['archived'] };
      throw conflict('invalid_transition', 'The product is already active', details);
    }
    Object.assign(this, { status: 'active', activatedAt: now, updatedAt: now });
  }

  archive(now: Date): void {
    this.assertNotArchived();
    Object.assign(this, { status: 'archived', archivedAt: now, updatedAt: now });
  }

  /** Reverses an archival: a product that was never active is a draft again. */
  restore(now: Date): void {
    const status = this.activatedAt === null ? 'draft' : 'active';
    Object.assign(this, { status, archivedAt: null, updatedAt: now });
  }

  assertNotArchived(): void {
    if (this.status !== 'archived') return;
    throw conflict('product_archived', 'The product is archived', { productId: this.id });
  }

  /** Checks what depends on several members, and computes the words of a search. */
  derive(): void {
    if (this.decideDaysBefore !== null && this.minParticipants === null) {
      throw invalidField('decideDaysBefore', 'decideDaysBefore requires minParticipants', 'minimum_missing');
    }
    for (const [index, { locale }] of this.texts.entries()) {
      if (this.texts.findIndex((text) => text.locale === locale) === index) continue;
      throw invalidField(`texts.${index}.locale`, 'Each locale can have only one text', 'duplicate');
    }
    const titles = this.texts.flatMap(({ title }) => title ?? []);
    this.searchTerms = [...new Set([this.name, this.id, ...titles])].join(' ');
  }
}
