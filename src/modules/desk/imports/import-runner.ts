import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { toAppError } from '../../../platform/errors/to-app-error.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { faultOf } from './import-cells.js';
import { ImportReferences } from './import-references.js';
import type { ImportKind } from './import.entity.js';
import type { ImportRecord, ImportRow } from './import-record.entity.js';
import { IMPORT_JOB, ImportsService } from './imports.service.js';
import { ImportsRepository } from './imports.repository.js';

/** The record's reference was imported before. */
class AlreadyImported extends Error {
  constructor(readonly subjectId: string) {
    super('The reference was imported before');
  }
}

/**
 * Checks and imports the records of files, one transaction each. The check does the same work as the import and rolls it back. A
 * process that is killed leaves its record as it was, and the next one goes on: a record and its reference are committed together,
 * so it is imported once.
 */
@Injectable()
export class ImportRunner {
  constructor(
    private readonly database: Database,
    private readonly repository: ImportsRepository,
    private readonly imports: ImportsService,
    private readonly references: ImportReferences,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Job(IMPORT_JOB)
  async work(payload: unknown): Promise<void> {
    const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'importId') : undefined;
    if (typeof id !== 'string') throw new Error('The payload has no importId');
    await this.run(id);
  }

  /** Goes on with imports whose process ended, and with those whose job has given up. */
  @Cron('desk.imports', '* * * * *')
  async resumeAll(): Promise<void> {
    for (const id of await this.repository.working()) {
      await this.run(id).catch((error: unknown) => {
        this.log.error({ err: error, importId: id }, 'an import could not be continued');
      });
    }
  }

  @Cron('desk.imports.retention', '37 3 * * *')
  async deleteOld(): Promise<void> {
    await this.imports.deleteOld();
  }

  private async run(id: string): Promise<void> {
    const found = await this.repository.imports.find(id);
    if (found?.status === 'checking') while (await this.checkNext(id, found.kind));
    if (found?.status === 'running') while (await this.importNext(id, found.kind));
    await this.imports.finish(id);
  }

  /** Returns false if no record is left. Two processes may check the same record: they find the same. */
  private async checkNext(id: string, kind: ImportKind): Promise<boolean> {
    const record = await this.repository.nextPending(id);
    if (!record) return false;
    try {
      await this.database.dryRun(() => this.create(kind, record));
      await this.change(record, (one) => one.pass(this.clock.now()));
    } catch (error) {
      await this.reject(kind, record, error);
    }
    return true;
  }

  /** Returns false if no record is left for this process. */
  private async importNext(id: string, kind: ImportKind): Promise<boolean> {
    const claimed: { record: ImportRecord | null } = { record: null };
    try {
      return await this.database.transaction(async () => {
        const record = await this.repository.claimValid(id);
        claimed.record = record;
        if (!record) return false;
        record.finish(await this.create(kind, record), this.clock.now());
        await this.repository.records.update(record);
        return true;
      });
    } catch (error) {
      if (!claimed.record) throw error;
      await this.reject(kind, claimed.record, error);
      return true;
    }
  }

  /** Creates what the record describes, and keeps its reference. Returns its id. */
  private async create(kind: ImportKind, { reference, rows }: ImportRecord): Promise<string> {
    if (reference === null)
      throw new AppError(422, 'required', 'reference is required', { details: { field: 'reference' } });
    const present = await this.references.find(kind, reference);
    if (present !== null) throw new AlreadyImported(present);
    const [first, ...others] = rows ?? [];
    if (!first) throw new Error('A record has a line');
    const lines: [ImportRow, ...ImportRow[]] = [first, ...others];
    const subjectId = await this.imports.importerOf(kind).run(lines);
    if (await this.references.add(kind, reference, subjectId)) return subjectId;
    throw conflict('reference_taken', 'Another import has just imported the reference');
  }

  /** The transaction of the record has rolled back. */
  private async reject(kind: ImportKind, record: ImportRecord, error: unknown): Promise<void> {
    const now = this.clock.now();
    if (error instanceof AlreadyImported) return this.change(record, (one) => one.skip(error.subjectId, now));
    const known = toAppError(error);
    const isTemporary = !(known instanceof AppError) || known.status >= 500;
    if (isTemporary) this.log.error({ err: error, importRecordId: record.id }, 'a record of an import failed');
    const fault =
      known instanceof AppError
        ? faultOf(known, this.imports.importerOf(kind).columnOf)
        : { code: 'internal_error', columnName: null, message: 'The record could not be imported' };
    await this.change(record, (one) => one.fail(fault, { isTemporary, now }));
  }

  /** Changes the record unless another process has changed it, or the import is gone. */
  private async change({ id, status }: ImportRecord, work: (record: ImportRecord) => void): Promise<void> {
    await this.database.transaction(async () => {
      const record = await this.repository.records.findAndLock(id);
      if (record?.status !== status) return;
      work(record);
      await this.repository.records.update(record);
    });
  }
}
