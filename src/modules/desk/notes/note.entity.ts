import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Impersonal, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { SubjectType } from '../subjects/subjects.js';

export const NOTE_VISIBILITIES = named('NoteVisibility', ['internal', 'guide']);
export type NoteVisibility = (typeof NOTE_VISIBILITIES)[number];

export interface NoteChanges {
  text?: string;
  pinned?: boolean;
  visibility?: NoteVisibility;
}

/** A note of staff on a record. */
@Entity('notes')
@Rights(DELETE)
export class Note extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'subject_type' }) subjectType: SubjectType;
  @Column('text', { name: 'subject_id' }) subjectId: string;
  @Personal('contact')
  @Unaudited('Reading it requires the scope of its record, and its revisions keep each text')
  @Column('text')
  text: string;
  @Column('boolean') pinned: boolean;
  @Impersonal()
  @Column('text')
  visibility: NoteVisibility;
  /** The user who wrote it, or `system`. */
  @Column('text', { name: 'author_id' }) authorId: string;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: NoteChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }

  assertAuthor(principal: string): void {
    if (this.authorId === principal) return;
    throw new AppError(403, 'author_required', 'Only the author can change a note');
  }
}
