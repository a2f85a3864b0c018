import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Flag, Id, Ignored, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { MAX_SUBJECT_ID, SUBJECT_TYPES, type SubjectType } from '../subjects/subjects.js';
import { type Note, NOTE_VISIBILITIES, type NoteVisibility } from './note.entity.js';

const MAX_TEXT = 5_000;

/** A new note on a record. */
export class CreateNote {
  @Ignored()
  id?: undefined;

  /**
   * Kind of the record.
   * @example "booking"
   */
  @OneOf(SUBJECT_TYPES)
  subjectType: SubjectType;

  /**
   * Record to which the note belongs.
   * @example "book_01k0dem000e000000000000001"
   */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string;

  /**
   * What the note says, as plain text.
   * @example "Prefers seats near the door"
   */
  @Text({ max: MAX_TEXT, multiline: true })
  text: string;

  /** Whether pages about the record show the note above all others; false by default. */
  @Optional()
  @Flag()
  pinned?: boolean;

  /** `internal` (by default): for the office; `guide`: also for the guides of a departure. */
  @Optional()
  @OneOf(NOTE_VISIBILITIES)
  visibility?: NoteVisibility;
}

/** The fields of a note to change. A note stays on its record. */
export class UpdateNote extends patchOf(OmitType(CreateNote, ['id', 'subjectType', 'subjectId'] as const)) {}

export class ListNotes extends PageQuery {
  /** Only notes on records of these kinds. */
  @Optional()
  @AnyOf(SUBJECT_TYPES)
  subjectType?: SubjectType[];

  /** Only notes on this record. */
  @Optional()
  @Text({ max: MAX_SUBJECT_ID })
  subjectId?: string;

  /** Only notes by this user. */
  @Optional()
  @Id('user')
  authorId?: string;

  /** Only pinned notes, or only others. */
  @Optional()
  @QueryFlag()
  pinned?: boolean;

  /** Only notes with one of these visibilities. */
  @Optional()
  @AnyOf(NOTE_VISIBILITIES)
  visibility?: NoteVisibility[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

/** A note of staff on a record. */
export class NoteResponse {
  @Id('note')
  id: string;

  /** Kind of the record. */
  @OneOf(SUBJECT_TYPES)
  subjectType: SubjectType;

  /** Record to which the note belongs. */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string;

  /** Name of the record; null if it was deleted. */
  @Text({ max: 1_000 })
  subjectTitle: string | null;

  /** What the note says, as plain text. */
  @Text({ max: MAX_TEXT })
  text: string;

  /** Whether pages about the record show the note above all others. */
  @Flag()
  pinned: boolean;

  /** `guide` notes are also for the guides of a departure. */
  @OneOf(NOTE_VISIBILITIES)
  visibility: NoteVisibility;

  /** User who wrote the note (prefix `user`), or `system`. */
  @Text({ max: 100 })
  authorId: string;

  /** Name of the author; null for `system`. */
  @Text({ max: 255 })
  authorName: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A note with the names of its record and its author. */
export interface NoteView {
  note: Note;
  subjectTitle: string | null;
  authorName: string | null;
}

export function toNote({ note, subjectTitle, authorName }: NoteView): NoteResponse {
  return respond(NoteResponse, note, { subjectTitle, authorName });
}

export class ListNoteRevisions extends PageQuery {
  /** Sort field, `-version` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['version'])
  sort?: string;
}

/** The text of a note from one version until the next change of the text. */
export class NoteRevisionResponse {
  /** Version of the note with which the text began. */
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  /** What the note said. */
  @Text({ max: MAX_TEXT })
  text: string;

  @Instant()
  createdAt: string;
}

export class NoteEnvelope extends dataOf(NoteResponse) {}
export class NotePage extends pageOf(NoteResponse) {}
export class NoteRevisionPage extends pageOf(NoteRevisionResponse) {}
