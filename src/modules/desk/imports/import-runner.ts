import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { workOnNext } from '../item-work.js';
import { faultOf } from './import-cells.js';
import { ImportReferences } from './import-references.js';
import type { Import, ImportKind } from './import.entity.js';
import type { ImportedRecord, ImportRecord, ImportRow, RecordFault } from './import-record.entity.js';
import { IMPORT_JOB, ImportsService } from './imports.service.js';
import { ImportsRepository } from './imports.repository.js';

/** The record's reference was imported before. */
class AlreadyImported extends Error {
  constructor(readonly subjectId: string) {
    super('The reference was imported before');
  }
}

/** A record as it was when it was claimed. */
type ClaimedRecord = Pick<ImportRecord, 'id' | 'status'>;

const MAX_WORK_MS = 45_000;

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

  /** Resumes imports whose process was killed, or whose job used up its attempts. */
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

  /** Works for at most 45 seconds, so that other jobs get their turn; then a new job goes on. */
  private async run(id: string): Promise<void> {
    const endsAt = performance.now() + MAX_WORK_MS;
    const found = await this.repository.imports.find(id);
    const next = async ({ kind, status }: Import) =>
      status === 'checking' ? this.checkNext(id, kind) : this.importNext(id, kind);
    while (found && (await next(found))) {
      if (performance.now() > endsAt) return this.imports.start(id);
    }
    await this.imports.finish(id);
  }

  /** Returns false if no record is left for this process, or if the check of one has to wait. */
  private async checkNext(id: string, kind: ImportKind): Promise<boolean> {
    const claimed = (recordId: string) => ({ id: recordId, status: 'pending' }) as const;
    const found: { warning: RecordFault | null } = { warning: null };
    return workOnNext(this.database, {
      claim: () => this.repository.claim(id, 'pending'),
      treat: async (record) => {
        found.warning = (await this.create(kind, record)).warning;
      },
      pass: (recordId) => this.change(claimed(recordId), (record) => record.pass(found.warning, this.clock.now())),
      fail: (recordId, error) => this.reject(kind, claimed(recordId), error),
    });
  }

  /** Returns false if no record is left for this process, or if the import of one has to wait. */
  private async importNext(id: string, kind: ImportKind): Promise<boolean> {
    return workOnNext(this.database, {
      claim: () => this.repository.claim(id, 'valid'),
      treat: async (record) => {
        record.finish(await this.create(kind, record), this.clock.now());
        await this.repository.records.update(record);
      },
      fail: (recordId, error) => this.reject(kind, { id: recordId, status: 'valid' }, error),
    });
  }

  /** Creates what the record describes, and keeps its reference. */
  private async create(kind: ImportKind, { reference, rows }: ImportRecord): Promise<ImportedRecord> {
    if (reference === null) throw referenceFault('required', 'reference is required');
    if (reference.includes('@')) {
      throw referenceFault('personal_reference', 'reference must not be an e-mail address, because it is kept');
    }
    const present = await this.references.find(kind, reference);
    if (present !== null) throw new AlreadyImported(present);
    const [first, ...others] = rows ?? [];
    if (!first) throw new Error('A record has a line');
    const lines: [ImportRow, ...ImportRow[]] = [first, ...others];
    const imported = await this.imports.importerOf(kind).run(lines);
    if (await this.references.add(kind, reference, imported.subjectId)) return imported;
    // Another import has just committed it.
    throw new AlreadyImported((await this.references.find(kind, reference)) ?? '');
  }

  /** The transaction of the record has rolled back. Returns false if the error is temporary: the import then waits a minute. */
  private async reject(kind: ImportKind, record: ClaimedRecord, error: unknown): Promise<boolean> {
    const now = this.clock.now();
    if (error instanceof AlreadyImported) {
      await this.change(record, (one) => one.skip(error.subjectId, now));
      return true;
    }
    const { isTemporary, ...fault } = faultOf(error, this.imports.importerOf(kind).columnOf);
    if (isTemporary) this.log.error({ err: error, importRecordId: record.id }, 'a record of an import failed');
    await this.change(record, (one) => one.fail(fault, { isTemporary, now }));
    return !isTemporary;
  }

  /** Changes the record, unless another process has changed it or its import was deleted. */
  private async change({ id, status }: ClaimedRecord, work: (record: ImportRecord) => void): Promise<void> {
    await this.database.transaction(async () => {
      const record = await this.repository.records.findAndLock(id);
      if (record?.status !== status) return;
      work(record);
      await this.repository.records.update(record);
    });
  }
}

function referenceFault(code: string, message: string): AppError {
  return new AppError(422, code, message, { details: { field: 'reference' } });
}
