import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Embedder } from '../embedding/embedder.js';
import { EmbeddingJobs } from '../embedding/embedding-jobs.service.js';
import { Slices } from '../slices/slices.service.js';

const KEPT_SECONDS = 24 * 3_600;

interface Queued {
  id: string;
  embeddings: 'reuse' | 'renew';
  sliceIds: string[];
}

const CURRENT = `
  update catalog_reindex set status = 'running' where status <> 'done'
  returning id, embeddings, slice_ids as "sliceIds"`;

/** Until its new vector is there, a document is found by the one that it has. */
const RENEW = `
  update catalog_embedding set stale = true where model = $2 and content_hash in (
    select content_hash from catalog_document where slice_id = $1 and deleted_at is null)`;

const PROGRESS = `
  update catalog_reindex set done = least(total, done + coalesce(
    (select document_count from catalog_slice where id = $2), 0)) where id = $1`;

const PURGE = `
  with gone as (
    delete from catalog_document where deleted_at < $1 returning slice_id, generation
  ), newest as (select slice_id, max(generation) as generation from gone group by slice_id)
  update catalog_slice as slice set purged_generation = greatest(purged_generation, newest.generation)
  from newest where slice.id = newest.slice_id`;

/** What is done for the index in the background. */
@Injectable()
export class ReindexWork {
  constructor(
    private readonly database: Database,
    private readonly embedder: Embedder,
    private readonly embeddings: EmbeddingJobs,
    private readonly slices: Slices,
    private readonly clock: Clock,
  ) {}

  /** Each process makes the slices anew beside the old ones when it sees the number of rebuilds rise. */
  async run(): Promise<void> {
    const [queued] = await this.database.query<Queued>(CURRENT);
    if (!queued) return;
    for (const sliceId of queued.sliceIds) {
      await this.database.transaction(async () => {
        await this.database.execute('update catalog_slice set rebuild = rebuild + 1 where id = $1', [sliceId]);
        if (queued.embeddings === 'renew') await this.database.execute(RENEW, [sliceId, this.embedder.model]);
        await this.database.execute(PROGRESS, [queued.id, sliceId]);
        this.slices.ring();
      });
    }
    await this.database.transaction(async () => {
      const done = `update catalog_reindex set status = 'done', done = total, finished_at = $2 where id = $1`;
      await this.database.execute(done, [queued.id, this.clock.now()]);
      await this.embeddings.wanted();
    });
  }

  /** Deleted documents are kept for a day, for processes that were away. */
  async purge(): Promise<void> {
    await this.database.execute(PURGE, [this.clock.inSeconds(-KEPT_SECONDS)]);
  }
}
