import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { named } from '../../../platform/http/named-values.js';

export const RECORD_STATUSES = named('ImportRecordStatus', [
  'pending',
  'valid',
  'invalid',
  'skipped',
  'done',
  'failed',
]);
export type RecordStatus = (typeof RECORD_STATUSES)[number];

/** A line of a file: its number in the file, the header being line 1, and its cells that are not empty, by column. */
export interface ImportRow {
  line: number;
  cells: Record<string, string>;
  /** An earlier line of the file with the same e-mail address. */
  lineWithEmail?: number;
}

/** Why a record cannot be imported, or what staff should look at. */
export interface RecordFault {
  code: string;
  /** The column whose cell is at fault; null if it is none or several. */
  columnName: string | null;
  message: string;
}

const NO_FAULT = { code: null, columnName: null, message: null };

/** What became of the lines of a record. */
export interface ImportedRecord {
  /** The customer, product or booking that was created. */
  subjectId: string;
  warning: RecordFault | null;
}

/** A temporary error is repeated. */
const MAX_ATTEMPTS = 5;

/** The lines of a file with the same reference, which become one customer, product or booking. */
@Rights(DELETE)
@Unaudited('progress of the work; what it creates has entries of its own')
@Entity('import_records')
export class ImportRecord {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'import_id' }) importId: string;
  /** The order in which the records are worked on. */
  @Column('integer') position: number;
  /** Its first line. */
  @Column('integer') line: number;
  /** Key of the record in the earlier system; null if the cell is empty. */
  @Impersonal()
  @Column('text', { nullable: true })
  reference: string | null;
  /** Null once the record is imported. */
  @Personal('contact')
  @Column('jsonb', { nullable: true })
  rows: ImportRow[] | null;
  @Column('text') status: RecordStatus;
  @Column('text', { nullable: true }) code: string | null;
  @Impersonal()
  @Column('text', { name: 'column_name', nullable: true })
  columnName: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  message: string | null;
  /** The customer, product or booking that was created, or that an earlier import created. */
  @Column('text', { name: 'subject_id', nullable: true }) subjectId: string | null;
  @Column('integer') attempts: number;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** The check found that it can be imported. */
  pass(warning: RecordFault | null, now: Date): void {
    Object.assign(this, warning ?? NO_FAULT, { status: 'valid', attempts: 0, updatedAt: now });
  }

  finish({ subjectId, warning }: ImportedRecord, now: Date): void {
    Object.assign(this, warning ?? NO_FAULT, { status: 'done', rows: null, subjectId, updatedAt: now });
  }

  /** An earlier import has the reference. */
  skip(subjectId: string, now: Date): void {
    const fault = { ...NO_FAULT, code: 'already_imported' };
    Object.assign(this, fault, { status: 'skipped', rows: null, subjectId, updatedAt: now });
  }

  /** An error that another attempt can overcome leaves the record as it is, up to five times. */
  fail(fault: RecordFault, { isTemporary, now }: { isTemporary: boolean; now: Date }): void {
    this.attempts += 1;
    this.updatedAt = now;
    if (isTemporary && this.attempts < MAX_ATTEMPTS) return;
    Object.assign(this, fault, { status: this.status === 'pending' ? 'invalid' : 'failed' });
  }
}
