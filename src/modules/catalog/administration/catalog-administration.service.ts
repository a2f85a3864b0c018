import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { newId } from '../../../platform/ids/id.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { EmbeddingsService } from '../embeddings/embeddings.service.js';
import { CatalogIndexService } from '../indexing/catalog-index.service.js';
import { SlicesService } from '../slices/slices.service.js';
import type { CatalogStatus, ReindexResponse, ReindexStatus, StartReindex } from './catalog-administration.dto.js';

const JOB = 'catalog.reindex';
const POLL_MS = 250;
/** When nothing has changed for this long, no other process is computing vectors. */
const IDLE_MS = 5_000;

mapConstraint('catalog_reindex_one_at_a_time', () =>
  conflict('reindex_in_progress', 'A rebuild of the index is already running'),
);

const QUEUE = `
  insert into catalog_reindex (id, status, embeddings, slice_ids, total, done, created_at)
  values ($1, 'queued', $2, $3, $4, 0, $5)`;

const START = `
  update catalog_reindex set status = 'running' where status <> 'done'
  returning id, embeddings, slice_ids as "sliceIds"`;

const PROGRESS = `
  update catalog_reindex set done = least(total, done + coalesce(
    (select document_count from catalog_slice where id = $2), 0)) where id = $1`;

const FINISH = `update catalog_reindex set status = 'done', done = total, finished_at = $2 where id = $1`;

const LATEST = `select id, status, done, total from catalog_reindex order by created_at desc, id desc limit 1`;

interface QueuedReindex {
  id: string;
  embeddings: 'reuse' | 'renew';
  sliceIds: string[];
}

/** A completed rebuild. */
export interface Rebuilt {
  id: string;
  slices: number;
  documents: number;
  /** The number of vectors that were computed. */
  vectors: number;
}

/** Rebuilds the search index on request and reports its status. */
@Injectable()
export class CatalogAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly slices: SlicesService,
    private readonly embeddings: EmbeddingsService,
    private readonly index: CatalogIndexService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async startReindex({ embeddings = 'reuse', ...key }: StartReindex): Promise<ReindexResponse> {
    return this.database.transaction(async () => {
      const slices = await this.slices.listMatching(key);
      const id = newId('crix');
      const documents = sum(slices.map((slice) => slice.documents));
      const sliceIds = slices.map((slice) => slice.id);
      await this.database.execute(QUEUE, [id, embeddings, sliceIds, documents, this.clock.now()]);
      const after = { embeddings, slices: sliceIds.length, documents };
      this.ledger.record('catalog.reindex.start', { subjectType: 'catalog_reindex', subjectId: id, after });
      await this.jobs.add(JOB, {}, { key: JOB });
      return { id, status: 'queued', slices: sliceIds.length };
    });
  }

  /** Requests the rebuild of each slice. The processes rebuild their indexes when they see the request. */
  @Job(JOB)
  async reindex(): Promise<void> {
    const [queued] = await this.database.query<QueuedReindex>(START);
    if (!queued) return;
    for (const sliceId of queued.sliceIds) {
      await this.database.transaction(async () => {
        await this.slices.requestRebuild(sliceId);
        if (queued.embeddings === 'renew') await this.embeddings.markStale(sliceId);
        await this.database.execute(PROGRESS, [queued.id, sliceId]);
      });
    }
    await this.database.transaction(async () => {
      await this.database.execute(FINISH, [queued.id, this.clock.now()]);
      await this.embeddings.requestEmbedding();
    });
  }

  /**
   * Rebuilds the index for an operator and waits until it is complete: the running processes do it, or this one if none does.
   * `report` gets the number of steps (documents to index and vectors to compute) that are left.
   */
  async rebuild(request: StartReindex, report: (left: number) => void): Promise<Rebuilt> {
    const { id } = await this.startReindex(request);
    const sliceIds = (await this.slices.listMatching(request)).map((slice) => slice.id);
    await this.reindex();
    const [missing, total] = [await this.missingVectors(), await this.countDocuments(sliceIds)];
    let [left, changedAt] = [Infinity, performance.now()];
    for (;;) {
      const now = (await this.countOutdated(sliceIds)) + (await this.missingVectors());
      report(now);
      if (now === 0) return { id, slices: sliceIds.length, documents: total, vectors: missing };
      if (now !== left) [left, changedAt] = [now, performance.now()];
      else if (performance.now() - changedAt > IDLE_MS && (await this.embeddings.embedGroup())) continue;
      await pause(POLL_MS);
    }
  }

  /** The documents of stored indexes that are still to be rebuilt. */
  private async countOutdated(sliceIds: readonly string[]): Promise<number> {
    const rebuilt = await this.index.findRebuilt(sliceIds);
    if (rebuilt === null) return 0;
    const outdated = sliceIds.filter((id) => !rebuilt.some((slice) => slice.id === id));
    // A slice without documents has an index as well.
    return Math.max(outdated.length, await this.countDocuments(outdated));
  }

  private async countDocuments(sliceIds: readonly string[]): Promise<number> {
    const { slices } = await this.slices.listAll();
    return sum(slices.filter(({ id }) => sliceIds.includes(id)).map(({ documents }) => documents));
  }

  private async missingVectors(): Promise<number> {
    return sum([...(await this.embeddings.countMissing()).values()]);
  }

  /** Returns by how much the index of this process lags behind the database. */
  async getStatus(): Promise<CatalogStatus> {
    const { slices } = await this.slices.listAll();
    const missing = await this.embeddings.countMissing();
    const [reindex = null] = await this.database.query<ReindexStatus>(LATEST);
    const states = slices.map((slice) => {
      const indexed = this.index.find(slice.id);
      return {
        vertical: slice.vertical,
        locale: slice.locale,
        market: slice.market,
        documents: slice.documents,
        generation: slice.generation,
        indexedGeneration: indexed?.slice.generation ?? 0,
        pendingEmbeddings: missing.get(slice.id) ?? 0,
        memoryBytes: indexed?.stats.bytes ?? 0,
      };
    });
    const behind = slices.filter(({ id, generation }) => (this.index.find(id)?.slice.generation ?? 0) < generation);
    const pending = sum([...missing.values()]);
    const { name, model, dimensions } = this.embeddings.embedder;
    return {
      fresh: behind.length === 0 && pending === 0,
      lagMs: Math.round(Math.max(0, ...behind.map((slice) => this.index.ageOf(slice)))),
      documents: sum(states.map(({ documents }) => documents)),
      generation: sum(states.map(({ generation }) => generation)),
      adapter: this.index.adapter,
      embedder: { name, model, dimensions, state: this.embeddings.state, pending },
      slices: states,
      reindex,
    };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
