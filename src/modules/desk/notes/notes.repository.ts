import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { directionOf, sortRows } from '../../../platform/database/sort-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type Subject, subjectTitleSql, type SubjectType } from '../subjects/subjects.js';
import type { ListNoteRevisions, ListNotes, NoteRevisionResponse, NoteView } from './note.dto.js';
import { Note } from './note.entity.js';

interface Names {
  subject_title: string | null;
  author_name: string | null;
}

/** The SQL of notes and their revisions. */
@Injectable()
export class NotesRepository {
  readonly rows: Rows<Note>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(Note);
  }

  /** Returns a page of notes on records of these kinds, and the total. */
  async list(query: ListNotes, types: readonly SubjectType[]): Promise<{ views: NoteView[]; total: number }> {
    const { subjectId, authorId, pinned, visibility, sort = '-createdAt' } = query;
    const found = this.views();
    filterRows(found, 'note.subject_type', types);
    if (subjectId !== undefined) found.andWhere('note.subject_id = :subjectId', { subjectId });
    if (authorId !== undefined) found.andWhere('note.author_id = :authorId', { authorId });
    if (pinned !== undefined) found.andWhere('note.pinned = :pinned', { pinned });
    filterRows(found, 'note.visibility', visibility);
    sortRows(found, sort);
    const { rows, total } = await this.database.page<Note, Names>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw)), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<NoteView> {
    const found = this.views().andWhere('note.id = :id', { id });
    const [row] = (await this.database.page<Note, Names>(found, { limit: 1, offset: 0 })).rows;
    if (!row) throw notFound();
    return viewOf(row.entity, row.raw);
  }

  async addRevision({ id, version, text, updatedAt }: Note): Promise<void> {
    await this.database.write({
      name: 'note-add-revision',
      text: 'insert into note_revisions (note_id, version, text, created_at) values ($1, $2, $3, $4)',
      values: [id, version, text, updatedAt],
    });
  }

  async listRevisions(id: string, query: ListNoteRevisions): Promise<{ rows: NoteRevisionResponse[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { sort = '-version' } = query;
    const found = await this.database.query<{ version: number; text: string; createdAt: Date }>(
      `select version, text, created_at as "createdAt" from note_revisions
       where note_id = $1 order by version ${directionOf(sort)} limit $2 offset $3`,
      [id, limit, offset],
    );
    const [counted] = await this.database.query<{ total: number }>(
      'select count(*)::int as total from note_revisions where note_id = $1',
      [id],
    );
    const rows = found.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
    return { rows, total: counted?.total ?? 0 };
  }

  async delete(id: string): Promise<void> {
    await this.database.write({ name: 'note-delete', text: 'delete from notes where id = $1', values: [id] });
  }

  /** Moves the notes on these records of a kind to another one. Returns them with their former records. */
  async move(
    { subjectType, subjectId }: Subject,
    formerIds: readonly string[],
  ): Promise<{ id: string; formerId: string }[]> {
    return this.database.query(
      `update notes note set subject_id = $1, version = note.version + 1
       from (
         select id, subject_id from notes where subject_type = $2 and subject_id = any($3) order by id for update
       ) as former
       where former.id = note.id
       returning note.id, former.subject_id as "formerId"`,
      [subjectId, subjectType, formerIds],
    );
  }

  /** Moves these notes from a record of a kind back to others, unless they were deleted. */
  async moveBack(
    { subjectType, subjectId }: Subject,
    notes: readonly { id: string; formerId: string }[],
  ): Promise<void> {
    await this.database.execute(
      `update notes note set subject_id = moved.former_id, version = note.version + 1
       from unnest($3::text[], $4::text[]) as moved (id, former_id)
       where note.id = moved.id and note.subject_type = $1 and note.subject_id = $2`,
      [subjectType, subjectId, notes.map(({ id }) => id), notes.map(({ formerId }) => formerId)],
    );
  }

  private views() {
    return this.rows
      .query('note')
      .addSelect(subjectTitleSql('note'), 'subject_title')
      .addSelect('(select writer.name from users writer where writer.id = note.author_id)', 'author_name');
  }
}

function viewOf(note: Note, { subject_title: subjectTitle, author_name: authorName }: Names): NoteView {
  return { note, subjectTitle, authorName };
}
