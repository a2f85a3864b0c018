import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { BookingImporter } from './booking-importer.js';
import { CustomerImporter } from './customer-importer.js';
import type { CreateImport, ImportView, ListImportRecords, ListImports } from './import.dto.js';
import { Import, type ImportKind, type ImportStatus, type ImportVerb } from './import.entity.js';
import { readImportFile } from './import-file.js';
import type { RecordImporter } from './import-cells.js';
import type { ImportRecord } from './import-record.entity.js';
import { ImportsRepository } from './imports.repository.js';
import { ProductImporter } from './product-importer.js';

export const IMPORT_JOB = 'desk.import';
const KEPT_DAYS = 30;
const BATCH = 100;

interface NewIds {
  import: string;
  record: (position: number) => string;
}

/**
 * Manages the import of CSV files. A job first checks each record by a dry run (`ImportRunner`); the execution then imports the
 * valid ones.
 */
@Injectable()
export class ImportsService {
  private readonly importers: Readonly<Record<ImportKind, RecordImporter>>;

  constructor(
    private readonly database: Database,
    private readonly repository: ImportsRepository,
    customers: CustomerImporter,
    products: ProductImporter,
    bookings: BookingImporter,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.importers = { customers, products, bookings };
  }

  importerOf(kind: ImportKind): RecordImporter {
    return this.importers[kind];
  }

  async create(
    { kind, csv }: CreateImport,
    ids: NewIds = { import: newId('imp'), record: () => newId('imrc') },
  ): Promise<ImportView> {
    const importer = this.importerOf(kind);
    for (const scope of importer.scopes) assertScope(scope);
    const { records, lines } = readImportFile(csv, importer.columns);
    importer.relate?.(records.flatMap(({ rows }) => rows));
    const now = this.clock.now();
    const created = make(Import, { id: ids.import, kind, status: 'checking', lineCount: lines, createdAt: now });
    return this.database.transaction(async () => {
      await this.repository.imports.insert(created);
      await this.repository.insertRecords(
        created,
        records.map((record, index) => ({ ...record, id: ids.record(index + 1), line: record.rows[0]?.line ?? 0 })),
      );
      this.record('create', created, null);
      await this.start(created.id);
      return { import: created, counts: { pending: records.length } };
    });
  }

  async list(query: ListImports): Promise<{ views: ImportView[]; total: number }> {
    const { rows, total } = await this.repository.list(query);
    return { views: await this.viewsOf(rows), total };
  }

  async get(id: string): Promise<ImportView> {
    return this.viewOf(await this.repository.imports.get(id));
  }

  async listRecords(id: string, query: ListImportRecords): Promise<{ rows: ImportRecord[]; total: number }> {
    await this.repository.imports.get(id);
    return this.repository.listRecords(id, query);
  }

  /** Imports the valid records. */
  async execute(id: string): Promise<ImportView> {
    return this.database.transaction(async () => {
      const found = await this.repository.imports.lock(id);
      for (const scope of this.importerOf(found.kind).scopes) assertScope(scope);
      await this.move(found, 'execute', 'running');
      await this.start(id);
      return this.viewOf(found);
    });
  }

  /** Deletes the import with its lines, and keeps what it created. */
  async delete(id: string, expected: ExpectedVersions): Promise<ImportView> {
    return this.database.transaction(async () => {
      const found = await this.repository.imports.lock(id);
      for (const scope of this.importerOf(found.kind).scopes) assertScope(scope);
      assertVersion(expected, found);
      found.assertIdle();
      return this.remove(found);
    });
  }

  /** Deletes imports 30 days after their upload. */
  async deleteOld(): Promise<void> {
    const limit = this.clock.inSeconds(-KEPT_DAYS * 86_400);
    for (let count = BATCH; count === BATCH;) {
      count = await this.database.transaction(async () => {
        const found = await this.repository.listOlderThan(limit, BATCH);
        for (const one of found) await this.remove(one);
        return found.length;
      });
    }
  }

  /** Ends the check or the execution, once no record is left for it. */
  async finish(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const found = await this.repository.imports.findAndLock(id);
      if (!found) return;
      const { counts } = await this.viewOf(found);
      if (found.status === 'checking' && !counts.pending) await this.move(found, 'check', 'checked');
      if (found.status !== 'running' || counts.valid) return;
      const hasFailed = Boolean(counts.failed) || Boolean(counts.invalid);
      await this.move(found, 'complete', hasFailed ? 'completed_with_failures' : 'completed');
    });
  }

  private async move(found: Import, verb: ImportVerb, to: ImportStatus): Promise<void> {
    const before = found.auditImage();
    found.change(verb, to, this.clock.now());
    await this.repository.imports.update(found);
    this.record(verb, found, before);
  }

  private async remove(found: Import): Promise<ImportView> {
    const view = await this.viewOf(found);
    await this.repository.delete(found.id);
    const subject = { subjectType: 'import', subjectId: found.id };
    this.ledger.record('desk.import.delete', { ...subject, before: found.auditImage(), after: null });
    return view;
  }

  /** Adds the job that works on the import. */
  async start(importId: string): Promise<void> {
    await this.jobs.add(IMPORT_JOB, { importId }, { key: `${IMPORT_JOB}:${importId}` });
  }

  private async viewOf(found: Import): Promise<ImportView> {
    const [view] = await this.viewsOf([found]);
    return view ?? { import: found, counts: {} };
  }

  private async viewsOf(imports: readonly Import[]): Promise<ImportView[]> {
    const counts = await this.repository.counts(imports.map(({ id }) => id));
    return imports.map((one) => ({ import: one, counts: counts.get(one.id) ?? {} }));
  }

  private record(verb: 'create' | ImportVerb, found: Import, before: object | null): void {
    const subject = { subjectType: 'import', subjectId: found.id };
    this.ledger.record(`desk.import.${verb}`, { ...subject, before, after: found.auditImage() });
  }
}
