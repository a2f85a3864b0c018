import { named } from '../../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../../platform/database/table-declarations.js';
import { imageOf } from '../../../../platform/database/audited.js';
import { conflict } from '../../../../platform/errors/app-error.js';
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

/** The fields that determine the form of the numbers. */
export const SHAPE = ['prefix', 'pattern', 'resetPeriod'] as const;

/** Values of a series that derive from its counters and from other series. */
export interface NumberSeriesState {
  /** Sequence of the next number in the current period. */
  nextNumber: number;
  /** Whether the series has assigned a number. */
  isUsed: boolean;
  /** Whether another series produces the same numbers. */
  isShared: boolean;
  /** Increases with every change and every number assigned. */
  version: number;
}

export interface NumberSeriesView extends NumberSeriesState {
  series: NumberSeries;
}

/** The rule by which documents of one type get their numbers. A counter per period stores the next number. */
@Rights(DELETE)
@Entity('invoice_number_series')
export class NumberSeries {
  @PrimaryColumn('text') id: string;
  @Impersonal()
  @Column('text')
  name: string;
  /** Literal text, even if it looks like a token. */
  @Impersonal()
  @Column('text')
  prefix: string;
  @Column('text') pattern: string;
  @Column('text', { name: 'document_type' }) documentType: DocumentType;
  @Column('text', { name: 'reset_period' }) resetPeriod: ResetPeriod;
  @Column('boolean', { name: 'is_default' }) isDefault: boolean;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** The form of the numbers can be changed until the first one is assigned. */
  change(changes: NumberSeriesChanges, { isUsed }: { isUsed: boolean }, now: Date): void {
    const reshaped = SHAPE.filter((field) => (changes[field] ?? this[field]) !== this[field]);
    if (isUsed && reshaped.length > 0) {
      throw conflict('series_in_use', 'The series has assigned numbers of this form; create a new series', {
        lockedFields: reshaped,
      });
    }
    Object.assign(this, changes, { updatedAt: now });
  }

  auditImage({ nextNumber, isShared, version }: NumberSeriesState): object {
    return { ...imageOf(this), nextNumber, warnings: isShared ? ['pattern_shared'] : [], version };
  }
}
