import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { ReindexWork } from './reindex-work.service.js';
import type { ReindexResponse, StartReindex } from './reindex.dto.js';

const JOB = 'catalog.reindex';

refuseOn('catalog_reindex_one_at_a_time', () =>
  conflict('reindex_in_progress', 'A rebuild of the index is already running'),
);

const MEANT = `
  select id, document_count as documents from catalog_slice
  where ($1::text is null or vertical = $1) and ($2::text is null or lower(locale) = lower($2))
    and ($3::text is null or lower(market) = lower($3))`;

const QUEUE = `
  insert into catalog_reindex (id, status, embeddings, slice_ids, total, done, created_at)
  values ($1, 'queued', $2, $3, $4, 0, $5)`;

@Injectable()
export class Reindexes implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly work: ReindexWork,
  ) {}

  onModuleInit(): void {
    this.jobs.define(JOB, () => this.work.run());
    this.jobs.schedule('catalog.purge', '17 * * * *', () => this.work.purge());
  }

  /** Throws 409 `reindex_in_progress`. */
  async start({ vertical, locale, market, embeddings = 'reuse' }: StartReindex): Promise<ReindexResponse> {
    return this.database.transaction(async () => {
      const values = [vertical ?? null, locale ?? null, market ?? null];
      const slices = await this.database.query<{ id: string; documents: number }>(MEANT, values);
      const id = newId('crix');
      const total = slices.reduce((sum, { documents }) => sum + documents, 0);
      const ids = slices.map((slice) => slice.id);
      await this.database.execute(QUEUE, [id, embeddings, ids, total, this.clock.now()]);
      const after = { embeddings, slices: ids.length, documents: total };
      this.ledger.record('catalog.reindex.start', { subjectType: 'catalog_reindex', subjectId: id, after });
      await this.jobs.add(JOB, {}, { key: JOB });
      return { id, status: 'queued', slices: ids.length };
    });
  }
}
