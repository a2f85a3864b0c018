import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { ImportKind } from './import.entity.js';

/** Maps keys of earlier systems to the records that were imported here. */
@Injectable()
export class ImportReferences {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async find(kind: ImportKind, reference: string): Promise<string | null> {
    const [found] = await this.database.prepared<{ id: string }>(
      'import-reference',
      'select subject_id as id from import_references where kind = $1 and reference = $2',
      [kind, reference],
    );
    return found?.id ?? null;
  }

  /** Returns false if the reference is taken. Waits for a concurrent import that has it and may still roll back. */
  async add(kind: ImportKind, reference: string, subjectId: string): Promise<boolean> {
    const { count } = await this.database.execute(
      `insert into import_references (kind, reference, subject_id, created_at) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [kind, reference, subjectId, this.clock.now()],
    );
    return count === 1;
  }
}
