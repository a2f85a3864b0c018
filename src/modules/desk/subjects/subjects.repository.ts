import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { RecordSubject } from '../../../platform/database/record-subject.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { type Subject, subjectOf } from './subjects.js';

/** The records of other modules to which notes belong. */
@Injectable()
export class SubjectsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Prevents that the record is deleted or merged until the transaction ends. Throws 404 if it is unknown, and 409 if it accepts
   * nothing new.
   */
  async lock({ subjectType, subjectId }: Subject): Promise<void> {
    await this.lockRecord(subjectOf(subjectType), subjectId);
  }

  /** Like `lock`, for a record of any kind. */
  async lockRecord({ type, table, rejection = 'null' }: RecordSubject<string>, subjectId: string): Promise<void> {
    const [found] = await this.database.prepared<{ rejection: string | null }>(
      `subject-lock-${type}`,
      `select ${rejection} as rejection from ${table} record where record.id = $1 for share`,
      [subjectId],
    );
    if (!found) throw notFound({ field: 'subjectId' });
    if (found.rejection === null) return;
    throw conflict(found.rejection, 'The record accepts no changes', { field: 'subjectId' });
  }
}
