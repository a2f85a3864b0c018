import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Embedder } from '../embedding/embedder.js';
import { EmbeddingJobs } from '../embedding/embedding-jobs.service.js';
import { Follower } from '../freshness/follower.service.js';
import { Freshness } from '../freshness/freshness.service.js';
import type { SliceState } from '../freshness/slice-reader.service.js';
import type { CatalogStatus, ReindexStatus } from './reindex.dto.js';

const PENDING = `
  select slice.id, count(*)::int as pending
  from catalog_slice as slice join catalog_document as document on document.slice_id = slice.id
  where deleted_at is null and split_part(lower(slice.locale), '-', 1) = any ($2)
    and not exists (
      select from catalog_embedding as e
      where e.content_hash = document.content_hash and e.model = $1 and not e.stale)
  group by slice.id`;

const LATEST = `select id, status, done, total from catalog_reindex order by created_at desc, id desc limit 1`;

/** How this process stands to what the database has. */
@Injectable()
export class CatalogState {
  constructor(
    private readonly database: Database,
    private readonly follower: Follower,
    private readonly freshness: Freshness,
    private readonly embedder: Embedder,
    private readonly embeddings: EmbeddingJobs,
  ) {}

  async read(slices: readonly SliceState[]): Promise<CatalogStatus> {
    const pending = await this.pending();
    const [reindex = null] = await this.database.query<ReindexStatus>(LATEST);
    const states = slices.map((slice) => {
      const known = this.follower.find(slice.id);
      return {
        vertical: slice.vertical,
        locale: slice.locale,
        market: slice.market,
        documents: slice.documents,
        generation: slice.generation,
        indexedGeneration: known?.state.generation ?? 0,
        pendingEmbeddings: pending.get(slice.id) ?? 0,
        memoryBytes: known?.figures.bytes ?? 0,
      };
    });
    const behind = slices.filter((slice) => (this.follower.find(slice.id)?.state.generation ?? 0) < slice.generation);
    const waiting = sum([...pending.values()]);
    const { name, model, dimensions, isOff } = this.embedder;
    return {
      fresh: behind.length === 0 && waiting === 0,
      lagMs: Math.round(Math.max(0, ...behind.map(({ changedAt }) => this.freshness.ageOf(changedAt)))),
      documents: sum(states.map(({ documents }) => documents)),
      generation: sum(states.map(({ generation }) => generation)),
      adapter: 'memory',
      embedder: {
        name,
        model,
        dimensions,
        state: isOff ? 'off' : this.embeddings.failing ? 'failing' : 'ready',
        pending: waiting,
      },
      slices: states,
      reindex,
    };
  }

  private async pending(): Promise<Map<string, number>> {
    const { model, languages } = this.embedder;
    const rows = await this.database.query<{ id: string; pending: number }>(PENDING, [model, languages]);
    return new Map(rows.map(({ id, pending }) => [id, pending]));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
