import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import {
  ATTACHMENT_SUBJECT_TYPES,
  type AttachmentSubject,
  AttachmentSubjects,
  type AttachmentSubjectType,
} from './attachment-subjects.js';
import type { AttachmentView, ListAttachments } from './attachment.dto.js';
import { Attachment, type AttachmentVisibility } from './attachment.entity.js';

interface Title {
  subject_title: string | null;
}

/** The kinds of attachments that a caller may read. */
export interface Readable {
  types: readonly AttachmentSubjectType[];
  visibilities: readonly AttachmentVisibility[];
}

type StatedSize = Pick<Attachment, 'subjectType' | 'visibility' | 'sizeBytes'>;

const OF_SUBJECTS = `(subject_type, subject_id) in (select * from unnest($1::text[], $2::text[]))`;

/** The SQL of attachments, and of the stored contents that they share. */
@Injectable()
export class AttachmentsRepository {
  readonly rows: Rows<Attachment>;

  constructor(
    private readonly database: Database,
    private readonly listeners: Listeners,
  ) {
    this.rows = database.rows(Attachment);
  }

  /** Returns a page of the attachments that are not deleted, and the total. */
  async list(
    { subjectId, status, sort = '-createdAt', ...page }: ListAttachments,
    { types, visibilities }: Readable,
  ): Promise<{ views: AttachmentView[]; total: number }> {
    const found = this.views();
    filterRows(found, 'attachment.subject_type', types);
    filterRows(found, 'attachment.visibility', visibilities);
    if (subjectId !== undefined) found.andWhere('attachment.subject_id = :subjectId', { subjectId });
    filterRows(found, 'attachment.status', status);
    sortRows(found, sort);
    const { rows, total } = await this.database.page<Attachment, Title>(found, pageBounds(page));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw)), total };
  }

  /** Throws 404, also for a deleted attachment. */
  async get(id: string): Promise<AttachmentView> {
    const found = this.views().andWhere('attachment.id = :id', { id });
    const [row] = (await this.database.page<Attachment, Title>(found, { limit: 1, offset: 0 })).rows;
    if (!row) throw notFound();
    return viewOf(row.entity, row.raw);
  }

  /** Throws 404, also for a deleted attachment. */
  async lock(id: string): Promise<Attachment> {
    const attachment = await this.rows.lock(id);
    if (attachment.deletedAt !== null) throw notFound();
    return attachment;
  }

  /** Returns the stated size of an attachment, and what decides who may send it; null if it does not exist. */
  async statedSizeOf(id: string): Promise<StatedSize | null> {
    const [row] = await this.database.prepared<StatedSize>(
      'attachment-stated-size',
      `select subject_type as "subjectType", visibility, size_bytes as "sizeBytes" from attachments
       where id = $1 and deleted_at is null`,
      [id],
    );
    return row ?? null;
  }

  /** Names the content before it is stored, so that bytes of an upload that was interrupted are found and deleted. */
  async addContent(key: string, now: Date): Promise<void> {
    await this.database.execute(
      `insert into attachment_contents (key, added_at) values ($1, $2)
       on conflict (key) do update set added_at = excluded.added_at`,
      [key, now],
    );
  }

  /** Prevents that the content is deleted until the transaction ends. Returns false if it was deleted. */
  async lockContent(key: string): Promise<boolean> {
    const rows = await this.database.query('select from attachment_contents where key = $1 for key share', [key]);
    return rows.length > 0;
  }

  /** Locks contents, added before this time, that no attachment names. Returns their keys. */
  async lockUnnamedContents(addedBefore: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>(
      `select key from attachment_contents content
       where added_at < $1 and not exists (select from attachments where content_key = content.key)
       order by key limit $2 for update skip locked`,
      [addedBefore, limit],
    );
    return rows.map(({ key }) => key);
  }

  /** Locks these contents, and returns the keys of those that no attachment names. */
  async lockUnnamedOf(keys: readonly string[]): Promise<string[]> {
    await this.database.query('select from attachment_contents where key = any($1) order by key for update', [keys]);
    // A second statement also sees an upload that was completed while the first one waited for its lock.
    const rows = await this.database.query<{ key: string }>(
      `select key from attachment_contents content
       where key = any($1) and not exists (select from attachments where content_key = content.key)`,
      [keys],
    );
    return rows.map(({ key }) => key);
  }

  async deleteContents(keys: readonly string[]): Promise<void> {
    await this.database.execute('delete from attachment_contents where key = any($1)', [keys]);
  }

  /** The bytes of attachments that were deleted before this time are no longer needed. */
  async releaseContents(deletedBefore: Date): Promise<void> {
    await this.database.execute(
      'update attachments set content_key = null where deleted_at < $1 and content_key is not null',
      [deletedBefore],
    );
  }

  /** The attachments of these records, also deleted ones, oldest first. */
  async listOf(subjects: readonly AttachmentSubject[]): Promise<Attachment[]> {
    return this.rows.read({
      text: `select ${this.rows.columns('row')} from attachments row where ${OF_SUBJECTS} order by id`,
      values: columnsOf(subjects),
    });
  }

  /** Deletes the attachments of these records for good. Returns them as they were. */
  async deleteOf(subjects: readonly AttachmentSubject[]): Promise<{ id: string; contentKey: string | null }[]> {
    return this.database.query(
      `delete from attachments where ${OF_SUBJECTS} returning id, content_key as "contentKey"`,
      columnsOf(subjects),
    );
  }

  /** Moves the attachments of merged customers to the one that replaces them. Returns them with their former customers. */
  async move(customerId: string, formerIds: readonly string[]): Promise<{ id: string; formerId: string }[]> {
    return this.database.query(
      `update attachments attachment set subject_id = $1, version = attachment.version + 1
       from (
         select id, subject_id from attachments
         where subject_type = 'customer' and subject_id = any($2) order by id for update
       ) as former
       where former.id = attachment.id
       returning attachment.id, former.subject_id as "formerId"`,
      [customerId, formerIds],
    );
  }

  async moveBack(customerId: string, moved: readonly { id: string; formerId: string }[]): Promise<void> {
    await this.database.execute(
      `update attachments attachment set subject_id = moved.former_id, version = attachment.version + 1
       from unnest($2::text[], $3::text[]) as moved (id, former_id)
       where attachment.id = moved.id and attachment.subject_type = 'customer' and attachment.subject_id = $1`,
      [customerId, moved.map(({ id }) => id), moved.map(({ formerId }) => formerId)],
    );
  }

  private views() {
    return this.rows
      .query('attachment')
      .addSelect(this.titleSql(), 'subject_title')
      .where('attachment.deleted_at is null');
  }

  private titleSql(): string {
    const subjects = this.listeners.one(AttachmentSubjects);
    const titles = ATTACHMENT_SUBJECT_TYPES.map((type) => {
      const { table, title } = subjects.subjectOf(type);
      return `when '${type}' then (select ${title} from ${table} record where record.id = attachment.subject_id)`;
    });
    return `case attachment.subject_type ${titles.join(' ')} end`;
  }
}

function columnsOf(subjects: readonly AttachmentSubject[]): string[][] {
  return [subjects.map(({ subjectType }) => subjectType), subjects.map(({ subjectId }) => subjectId)];
}

function viewOf(attachment: Attachment, { subject_title: subjectTitle }: Title): AttachmentView {
  return { attachment, subjectTitle };
}
