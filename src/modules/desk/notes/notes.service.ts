import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger, byVersion, Undoes } from '../../action-ledger/index.js';
import { assertReadable, assertWritable, listedTypes, type Subject } from '../subjects/subjects.js';
import { SubjectsRepository } from '../subjects/subjects.repository.js';
import type {
  CreateNote,
  ListNoteRevisions,
  ListNotes,
  NoteRevisionResponse,
  NoteView,
  UpdateNote,
} from './note.dto.js';
import { Note } from './note.entity.js';
import { NotesRepository } from './notes.repository.js';

/** Notes of staff on records. Each needs the scope of its record. */
@Injectable()
export class NotesService {
  constructor(
    private readonly database: Database,
    private readonly repository: NotesRepository,
    private readonly subjects: SubjectsRepository,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async create(
    input: CreateNote,
    { id = newId('note'), authorId = currentActor().principal }: { id?: string; authorId?: string } = {},
  ): Promise<NoteView> {
    const { pinned = false, visibility = 'internal' } = input;
    assertWritable(input.subjectType);
    const note = make(Note, { ...input, id, pinned, visibility, authorId, createdAt: this.clock.now() });
    return this.database.transaction(async () => {
      await this.subjects.lock(note);
      await this.repository.rows.insert(note);
      await this.repository.addRevision(note);
      this.record('create', note, null);
      return this.repository.get(id);
    });
  }

  async list(query: ListNotes): Promise<{ views: NoteView[]; total: number }> {
    return this.repository.list(query, listedTypes(query.subjectType));
  }

  async get(id: string): Promise<NoteView> {
    const view = await this.repository.get(id);
    assertReadable(view.note.subjectType);
    return view;
  }

  /** The texts that the note has had, the present one included. */
  async listRevisions(id: string, query: ListNoteRevisions): Promise<{ rows: NoteRevisionResponse[]; total: number }> {
    await this.get(id);
    return this.repository.listRevisions(id, query);
  }

  async update(id: string, changes: UpdateNote, expected: ExpectedVersions): Promise<NoteView> {
    return this.database.transaction(async () => {
      const note = await this.lock(id, expected);
      note.assertAuthor(currentActor().principal);
      const [before, { text }] = [note.auditImage(), note];
      note.change(changes, this.clock.now());
      await this.repository.rows.update(note);
      if (note.text !== text) await this.repository.addRevision(note);
      this.record('update', note, before);
      return this.repository.get(id);
    });
  }

  /** Deletes the note with its revisions. Only the author can do so without the scope `desk:delete`. */
  @Undoes('desk.note.create', { effect: 'desk.note.delete', values: byVersion })
  async delete(id: string, expected: ExpectedVersions): Promise<NoteView> {
    return this.database.transaction(async () => {
      const note = await this.lock(id, expected);
      if (note.authorId !== currentActor().principal) assertScope('desk:delete');
      const view = await this.repository.get(id);
      await this.repository.delete(id);
      const subject = { subjectType: 'note', subjectId: id };
      this.ledger.record('desk.note.delete', { ...subject, before: note.auditImage(), after: null });
      return view;
    });
  }

  /** Moves the notes of merged records to the record that replaces them. */
  async move(to: Subject, formerIds: readonly string[]): Promise<{ id: string; formerId: string }[]> {
    return this.repository.move(to, formerIds);
  }

  async moveBack(from: Subject, notes: readonly { id: string; formerId: string }[]): Promise<void> {
    await this.repository.moveBack(from, notes);
  }

  private async lock(id: string, expected: ExpectedVersions): Promise<Note> {
    const note = await this.repository.rows.lock(id);
    assertWritable(note.subjectType);
    assertVersion(expected, note);
    return note;
  }

  private record(verb: 'create' | 'update', note: Note, before: object | null): void {
    const subject = { subjectType: 'note', subjectId: note.id };
    this.ledger.record(`desk.note.${verb}`, { ...subject, before, after: note.auditImage() });
  }
}
