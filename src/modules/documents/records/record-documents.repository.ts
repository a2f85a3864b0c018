import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { AttachmentSubjects } from '../attachments/attachment-subjects.js';
import {
  DOCUMENT_SUBJECT_TYPES,
  type DocumentKind,
  type DocumentSelection,
  type DocumentSubjectType,
} from '../kinds/document-kinds.js';
import type { ListRecordDocuments, RecordDocumentView } from './record-document.dto.js';
import { RecordDocument } from './record-document.entity.js';

interface Title {
  subject_title: string | null;
}

/** The documents that a caller may read. */
export interface ReadableDocuments {
  kinds: readonly DocumentKind[];
  subjectTypes: readonly DocumentSubjectType[];
}

/** Documents of one kind, record and language. */
export type DocumentSeries = Pick<RecordDocument, 'kind' | 'subjectType' | 'subjectId' | 'language'>;

/** A union instead of `or`, so that both indexes are used. */
const SELECTED = `id in (
  select id from record_documents where (subject_type, subject_id) in (select * from unnest($1::text[], $2::text[]))
  union select id from record_documents where named_ids && $3::text[])`;

/** Reads and writes documents. Does not use `Rows.update`, because `version` is not the version of the row. */
@Injectable()
export class RecordDocumentsRepository {
  readonly rows: Rows<RecordDocument>;

  constructor(
    private readonly database: Database,
    private readonly listeners: Listeners,
  ) {
    this.rows = database.rows(RecordDocument);
  }

  async list(
    { subjectId, status, sort = '-createdAt', ...page }: ListRecordDocuments,
    { kinds, subjectTypes }: ReadableDocuments,
  ): Promise<{ views: RecordDocumentView[]; total: number }> {
    const found = this.views();
    filterRows(found, 'document.kind', kinds);
    filterRows(found, 'document.subject_type', subjectTypes);
    if (subjectId !== undefined) found.andWhere('document.subject_id = :subjectId', { subjectId });
    filterRows(found, 'document.status', status);
    sortRows(found, sort);
    const { rows, total } = await this.database.page<RecordDocument, Title>(found, pageBounds(page));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw)), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<RecordDocumentView> {
    const found = this.views().where('document.id = :id', { id });
    const [row] = (await this.database.page<RecordDocument, Title>(found, { limit: 1, offset: 0 })).rows;
    if (!row) throw notFound();
    return viewOf(row.entity, row.raw);
  }

  /** Locks the series until the transaction ends, so that parallel requests get different versions. */
  async nextVersion(series: DocumentSeries): Promise<number> {
    const key = valuesOf(series);
    await this.database.query('select pg_advisory_xact_lock(hashtextextended($1, 2301))', [key.join(' ')]);
    const [last] = await this.database.prepared<{ version: number | null }>(
      'document-last-version',
      `select max(version) as version from record_documents
       where kind = $1 and subject_type = $2 and subject_id = $3 and language = $4`,
      key,
    );
    return (last?.version ?? 0) + 1;
  }

  /** Locks in the order of ids, because the completion of one changes others. */
  async lockSeries(series: DocumentSeries): Promise<RecordDocument[]> {
    const text = `select ${this.rows.columns('document')} from record_documents document
      where kind = $1 and subject_type = $2 and subject_id = $3 and language = $4 order by id for update`;
    return this.rows.read({ name: 'document-lock-series', text, values: valuesOf(series) });
  }

  /** Writes the columns that rendering changes. */
  async save(document: RecordDocument): Promise<void> {
    const {
      id,
      status,
      isOffer,
      dataSha256,
      fileName,
      contentKey,
      sha256,
      sizeBytes,
      attempts,
      failure,
      readyAt,
      namedIds,
    } = document;
    await this.database.prepared(
      'document-save',
      `update record_documents set status = $2, is_offer = $3, data_sha256 = $4, file_name = $5, content_key = $6,
         sha256 = $7, size_bytes = $8, attempts = $9, failure = $10, ready_at = $11, named_ids = $12 where id = $1`,
      [id, status, isOffer, dataSha256, fileName, contentKey, sha256, sizeBytes, attempts, failure, readyAt, namedIds],
    );
  }

  /** Oldest first. */
  async listOf(selection: DocumentSelection): Promise<RecordDocument[]> {
    return this.rows.read({
      text: `select ${this.rows.columns('document')} from record_documents document where ${SELECTED} order by id`,
      values: columnsOf(selection),
    });
  }

  /** Deletes these documents for good. Returns them as they were. */
  async deleteOf(selection: DocumentSelection): Promise<{ id: string; contentKey: string | null }[]> {
    return this.database.query(
      `delete from record_documents where ${SELECTED} returning id, content_key as "contentKey"`,
      columnsOf(selection),
    );
  }

  private views() {
    return this.rows.query('document').addSelect(this.titleSql(), 'subject_title');
  }

  private titleSql(): string {
    const subjects = this.listeners.one(AttachmentSubjects);
    const titles = DOCUMENT_SUBJECT_TYPES.map((type) => {
      const { table, title } = subjects.subjectOf(type);
      return `when '${type}' then (select ${title} from ${table} record where record.id = document.subject_id)`;
    });
    return `case document.subject_type ${titles.join(' ')} end`;
  }
}

function valuesOf({ kind, subjectType, subjectId, language }: DocumentSeries): string[] {
  return [kind, subjectType, subjectId, language];
}

function columnsOf({ subjects, namedIds }: DocumentSelection): (readonly string[])[] {
  return [subjects.map(({ subjectType }) => subjectType), subjects.map(({ subjectId }) => subjectId), namedIds];
}

function viewOf(document: RecordDocument, { subject_title: subjectTitle }: Title): RecordDocumentView {
  return { document, subjectTitle };
}
