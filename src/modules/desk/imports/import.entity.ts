import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';

export const IMPORT_KINDS = named('ImportKind', ['customers', 'products', 'bookings']);
export type ImportKind = (typeof IMPORT_KINDS)[number];

export const IMPORT_STATUSES = named('ImportStatus', [
  'checking',
  'checked',
  'running',
  'completed',
  'completed_with_failures',
]);
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** Each status, and the statuses that can follow it. */
const NEXT: Readonly<Record<ImportStatus, readonly ImportStatus[]>> = {
  checking: ['checked'],
  checked: ['running'],
  running: ['completed', 'completed_with_failures'],
  completed: [],
  completed_with_failures: [],
};

export type ImportVerb = 'check' | 'execute' | 'complete';

const PARTICIPLES: Readonly<Record<ImportVerb, string>> = {
  check: 'checked',
  execute: 'executed',
  complete: 'completed',
};

/** A CSV file with records of an earlier system. It is checked first; staff then decide whether it is imported. */
@Rights(DELETE)
@Entity('imports')
export class Import extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: ImportKind;
  @Column('text') status: ImportStatus;
  /** Lines of the file without its header and empty lines. */
  @Column('integer', { name: 'line_count' }) lineCount: number;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(verb: ImportVerb, to: ImportStatus, now: Date): void {
    const { status: from } = this;
    if (!NEXT[from].includes(to)) {
      const message = `An import that is ${from.replaceAll('_', ' ')} cannot be ${PARTICIPLES[verb]}`;
      throw conflict('invalid_transition', message, { from, to, allowed: NEXT[from] });
    }
    const endedAt = NEXT[to].length === 0 ? now : null;
    Object.assign(this, { status: to, endedAt, updatedAt: now });
  }

  /** A job works on its records. */
  assertIdle(): void {
    if (this.status === 'checking' || this.status === 'running') {
      throw conflict('import_in_progress', `The import is ${this.status}`, { status: this.status });
    }
  }
}
