import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListImportRecords, ListImports } from './import.dto.js';
import { Import } from './import.entity.js';
import { ImportRecord, type RecordStatus } from './import-record.entity.js';

export type RecordCounts = Readonly<Partial<Record<RecordStatus, number>>>;

/** Reads and writes imports and their records. */
@Injectable()
export class ImportsRepository {
  readonly imports: Rows<Import>;
  readonly records: Rows<ImportRecord>;

  constructor(private readonly database: Database) {
    this.imports = database.rows(Import);
    this.records = database.rows(ImportRecord);
  }

  async list(query: ListImports): Promise<{ rows: Import[]; total: number }> {
    const found = this.imports.query('import');
    filterRows(found, 'import.kind', query.kind);
    filterRows(found, 'import.status', query.status);
    sortRows(found, query.sort ?? '-createdAt');
    return this.imports.page(found, pageBounds(query));
  }

  async listRecords(importId: string, query: ListImportRecords): Promise<{ rows: ImportRecord[]; total: number }> {
    const found = this.records.query('record').where('record.importId = :importId', { importId });
    filterRows(found, 'record.status', query.status);
    sortRows(found, query.sort ?? 'line');
    return this.records.page(found, pageBounds(query));
  }

  /** Returns how many records of each of these imports have each status. */
  async counts(importIds: readonly string[]): Promise<ReadonlyMap<string, RecordCounts>> {
    const rows = await this.database.query<{ importId: string; status: RecordStatus; count: number }>(
      `select import_id as "importId", status, count(*)::int as count from import_records
       where import_id = any($1) group by import_id, status`,
      [importIds],
    );
    const counts = new Map<string, Partial<Record<RecordStatus, number>>>();
    for (const { importId, status, count } of rows) counts.set(importId, { ...counts.get(importId), [status]: count });
    return counts;
  }

  /** The imports on which a job should be working. */
  async working(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from imports where status in ('checking', 'running') order by id limit 100`,
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the next record with this status; records on which other processes work are passed over. */
  async claim(importId: string, status: 'pending' | 'valid'): Promise<ImportRecord | null> {
    const [record] = await this.records.read({
      name: 'import-claim',
      text: `select ${this.records.columns('record')} from import_records record
        where record.import_id = $1 and record.status = $2 order by record.position limit 1 for update skip locked`,
      values: [importId, status],
    });
    return record ?? null;
  }

  /** Inserts the records in this order, in one statement: a file has thousands. */
  async insertRecords(
    { id, createdAt }: Import,
    records: readonly Pick<ImportRecord, 'id' | 'line' | 'reference' | 'rows'>[],
  ): Promise<void> {
    await this.database.execute(
      `insert into import_records (id, import_id, position, line, reference, rows, status, attempts, version, created_at,
         updated_at)
       select new.id, $1, new.position, new.line, new.reference, new.rows, 'pending', 0, 1, $3, $3
       from rows from (jsonb_to_recordset($2::jsonb) as (id text, line integer, reference text, rows jsonb))
         with ordinality as new (id, line, reference, rows, position)`,
      [id, JSON.stringify(records), createdAt],
    );
  }

  async delete(id: string): Promise<void> {
    await this.database.execute('delete from import_records where import_id = $1', [id]);
    await this.database.execute('delete from imports where id = $1', [id]);
  }

  /** Locks the imports that ended, or were checked, before this time. */
  async listOlderThan(time: Date, limit: number): Promise<Import[]> {
    return this.imports.read({
      text: `select ${this.imports.columns('import')} from imports import
        where import.created_at < $1 and import.status not in ('checking', 'running')
        order by import.created_at, import.id limit $2 for update skip locked`,
      values: [time, limit],
    });
  }

  /** The lines of files that were not imported and contain one of these e-mail addresses, in lower case. */
  async linesWith(emails: readonly string[]): Promise<{ id: string; rows: object }[]> {
    return this.database.query(`select record.id, record.rows from import_records record where ${HAS_EMAIL}`, [emails]);
  }

  /** Removes the lines that `linesWith` returns. Records that were not imported yet become invalid. */
  async eraseLinesWith(emails: readonly string[], now: Date): Promise<number> {
    const { count } = await this.database.execute(
      `update import_records record set rows = null, reference = null, version = version + 1, updated_at = $2,
         status = case when status in ('pending', 'valid') then 'invalid' else status end, code = 'erased',
         column_name = null, message = 'The lines were erased' where ${HAS_EMAIL}`,
      [emails, now],
    );
    return count;
  }
}

const HAS_EMAIL = `record.rows is not null and exists (
  select from jsonb_array_elements(record.rows) as entry (value) cross join jsonb_each_text(entry.value -> 'cells') as cell
  where lower(cell.value) = any($1))`;
