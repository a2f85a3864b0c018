import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateNote,
  ListNoteRevisions,
  ListNotes,
  NoteEnvelope,
  NotePage,
  NoteRevisionPage,
  toNote,
  UpdateNote,
} from './note.dto.js';
import { NotesService } from './notes.service.js';

const PATH = '/v1/admin/notes';

@ApiGroup('Notes and tasks', {
  position: 16,
  description: 'Staff: what people at the desk write down about a record, and what they have to do.',
})
@Controller(PATH)
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  /**
   * Create a note
   *
   * @remarks Adds a note to a customer, a booking, a departure or an invoice. It also needs the scope to change such a record:
   * `customers:write`, `bookings:write`, `operations:write` or `finance:write`. Rejected for a customer that was merged or erased.
   */
  @Post()
  @RequireScope('desk:write')
  @Mutates('desk.note.create')
  @Refuses({ 404: ['not_found'], 409: ['customer_merged', 'customer_erased'] })
  async create(@Body() body: CreateNote): Promise<NoteEnvelope> {
    const view = await this.notes.create(body);
    return created(`${PATH}/${view.note.id}`, view.note, { data: toNote(view) });
  }

  /**
   * List notes
   *
   * @remarks Returns a page of notes, newest first unless `sort` is given. Notes on records that the caller may not read are left
   * out; a `subjectType` that the caller may not read is rejected. The scopes are `customers:read`, `bookings:read`,
   * `operations:read` and `finance:receivables`.
   */
  @Get()
  @RequireScope('desk:read')
  async list(@Query() query: ListNotes): Promise<NotePage> {
    const { views, total } = await this.notes.list(query);
    return { data: views.map(toNote), total, ...pageBounds(query) };
  }

  /**
   * Get a note
   *
   * @remarks It also needs the scope to read the record of the note.
   */
  @Get(':noteId')
  @RequireScope('desk:read')
  @ComputedNow()
  async get(@PathId('note', 'noteId') id: string): Promise<NoteEnvelope> {
    const view = await this.notes.get(id);
    return tagged(view.note, { data: toNote(view) });
  }

  /**
   * List the revisions of a note
   *
   * @remarks Returns a page of the texts that the note has had, the newest first unless `sort` is given. The newest one is the
   * present text. It also needs the scope to read the record of the note.
   */
  @Get(':noteId/revisions')
  @RequireScope('desk:read')
  async listRevisions(
    @PathId('note', 'noteId') id: string,
    @Query() query: ListNoteRevisions,
  ): Promise<NoteRevisionPage> {
    const { rows, total } = await this.notes.listRevisions(id, query);
    return { data: rows, total, ...pageBounds(query) };
  }

  /**
   * Update a note
   *
   * @remarks Changes only the fields that are sent. Only the author can change a note; a former text stays as a revision. It also
   * needs the scope to change the record of the note.
   */
  @Patch(':noteId')
  @RequireScope('desk:write')
  @Mutates('desk.note.update', { irreversible: 'Its revisions keep the former texts: the author writes it again' })
  @BodyExample({ pinned: true })
  @Refuses({ 403: ['author_required'] })
  async update(
    @PathId('note', 'noteId', 2) id: string,
    @Body() body: UpdateNote,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<NoteEnvelope> {
    const view = await this.notes.update(id, body, expected);
    return tagged(view.note, { data: toNote(view) });
  }

  /**
   * Delete a note
   *
   * @remarks Deletes the note with its revisions and returns it as it was. The note of another author needs the scope `desk:delete`.
   * It also needs the scope to change the record of the note.
   */
  @Delete(':noteId')
  @RequireScope('desk:write')
  @Mutates('desk.note.delete', { irreversible: 'Its text is personal data, which is deleted for good' })
  async delete(
    @PathId('note', 'noteId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<NoteEnvelope> {
    const view = await this.notes.delete(id, expected);
    return tagged(view.note, { data: toNote(view) });
  }
}
