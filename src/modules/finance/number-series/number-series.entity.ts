import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { conflict } from '../../../platform/errors/app-error.js';
import type { ResetPeriod } from './number-pattern.js';

export const DOCUMENT_TYPES = named('DocumentType', ['invoice', 'proforma', 'credit_note']);
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export interface NumberSeriesChanges {
  name?: string;
  prefix?: string;
  pattern?: string;
  resetPeriod?: ResetPeriod;
  isDefault?: boolean;
  active?: boolean;
}

/** What numbers look like. */
export const SHAPE = ['prefix', 'pattern', 'resetPeriod'] as const;

/** The rule by which documents of one type get their numbers. How far it got is told by its counters. */
@Entity('invoice_number_series')
export class NumberSeries {
  @PrimaryColumn('text') id: string;
  @Column('text') name: string;
  /** Literal text, also where it looks like a token. */
  @Column('text') prefix: string;
  @Column('text') pattern: string;
  @Column('text', { name: 'document_type' }) documentType: DocumentType;
  @Column('text', { name: 'reset_period' }) resetPeriod: ResetPeriod;
  @Column('boolean', { name: 'is_default' }) isDefault: boolean;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** The shape of the numbers is free until the first one is given: 409 `series_in_use`. */
  change(changes: NumberSeriesChanges, { isUsed }: { isUsed: boolean }): void {
    const reshaped = SHAPE.filter((field) => (changes[field] ?? this[field]) !== this[field]);
    if (isUsed && reshaped.length > 0) {
      throw conflict('series_in_use', 'The series has assigned numbers of this form; create a new series', {
        lockedFields: reshaped,
      });
    }
    Object.assign(this, changes);
  }
}
