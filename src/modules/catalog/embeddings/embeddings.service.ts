import { Inject, Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { OutgoingCalls } from '../../../platform/observability/telemetry.js';
import { fold } from '../../../search-engine/index.js';
import { type Slice, type SliceKey, SlicesService } from '../slices/slices.service.js';
import { BuiltinEmbedder } from './builtin-embedder.js';
import { type Embedder, NoEmbedder, unitVector } from './embedder.js';
import { embeddingText, modelText } from './embedding-text.js';
import { HttpEmbedder } from './http-embedder.js';

const JOB = 'catalog.embed';
/** After this time the job adds itself again, so that a process that shuts down does not wait for long. */
const MAX_GROUPS_PER_JOB = 20;
/** A text that every model can embed, to distinguish a failing model from a document that it rejects. */
const PROBE = ['travel'];
const QUERY_TIMEOUT_MS = 800;
const MAX_CACHED_QUERIES = 1_000;

const IS_MISSING = `
  deleted_at is null and split_part(lower(slice.locale), '-', 1) = any ($2)
    and not exists (
      select from catalog_embedding as e
      where e.content_hash = document.content_hash and e.model = $1 and not e.stale)`;

/** Has no order, so that it ends when it has found enough. */
const MISSING = `
  select content_hash as hash, document.id, fields
  from catalog_document as document join catalog_slice as slice on slice.id = document.slice_id
  where ${IS_MISSING} limit $3`;

const COUNT_MISSING = `
  select slice.id, count(*)::int as pending
  from catalog_slice as slice join catalog_document as document on document.slice_id = slice.id
  where ${IS_MISSING} group by slice.id`;

/** A vector of null means that none can be computed, until the text changes or vectors are renewed. */
const SAVE = `
  insert into catalog_embedding (content_hash, model, vector)
  select hash, $2, vector from unnest($1::bytea[], $3::bytea[]) as v (hash, vector)
  on conflict (content_hash, model) do update set vector = excluded.vector, stale = false`;

const SLICES_WITH = `
  select distinct vertical, locale, market from catalog_document as document
  join catalog_slice as slice on slice.id = document.slice_id
  where content_hash = any ($1) and deleted_at is null`;

/** Makes indexes read the documents again. */
const STAMP = `
  update catalog_document as document set generation = s.generation
  from unnest($2::bigint[], $3::bigint[]) as s (id, generation)
  where document.slice_id = s.id and content_hash = any ($1) and deleted_at is null`;

/**
 * A slice uses its first model as soon as there is a vector. It switches to another model only when all vectors are computed.
 */
const ADOPT_MODEL = `
  update catalog_slice as slice set embedding_model = $1
  where embedding_model is distinct from $1 and split_part(lower(locale), '-', 1) = any ($2) and (
    (embedding_model is null and exists (
      select from catalog_document as d join catalog_embedding as e using (content_hash)
      where d.slice_id = slice.id and e.model = $1))
    or not exists (
      select from catalog_document as d where d.slice_id = slice.id and deleted_at is null
        and not exists (select from catalog_embedding as e where e.content_hash = d.content_hash and e.model = $1)))`;

/** A stale vector is used until the new one is computed. */
const MARK_STALE = `
  update catalog_embedding set stale = true where model = $2 and content_hash in (
    select content_hash from catalog_document where slice_id = $1 and deleted_at is null)`;

interface MissingVector {
  hash: Buffer;
  id: string;
  fields: Record<string, unknown>;
}

/** A document with the text for its vector. If the text is empty, the document has no vector. */
interface EmbeddableDocument {
  readonly id: string;
  readonly text: string;
}

/**
 * Computes the vectors of queries immediately, and the vectors of documents in jobs, after keyword search already finds them.
 */
@Injectable()
export class EmbeddingsService implements OnModuleDestroy, OnApplicationShutdown {
  readonly embedder: Embedder;
  /** Whether the last group of documents could not be embedded. */
  private failing = false;
  /** Aborted when the process begins to stop, so that a running job does not delay its end. */
  private readonly stopping = new AbortController();
  /** The least recently used query comes first. */
  private readonly queryVectors = new Map<string, Float32Array>();

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly slices: SlicesService,
    @Inject(LOG) private readonly log: Logger,
    env: Env,
    calls: OutgoingCalls,
  ) {
    this.embedder = createEmbedder(env, calls);
  }

  /** Runs before the shutdown of `Jobs`, which waits for running jobs. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.embedder.stop();
  }

  get state(): 'ready' | 'failing' | 'off' {
    if (this.embedder.isOff) return 'off';
    return this.failing ? 'failing' : 'ready';
  }

  /**
   * Returns the unit vector of a query, or null if there is no model, no response in time, or no vector to compare with; the
   * search then uses keywords. The model spends no time on a query after its client has disconnected or its time limit has
   * passed.
   */
  async embedQuery(
    query: string,
    { locale, model }: Pick<Slice, 'locale' | 'model'>,
    disconnected: AbortSignal,
  ): Promise<Float32Array | null> {
    if (model !== this.embedder.model || !this.embedder.supports(locale)) return null;
    const text = modelText(query);
    const key = fold(text).trim().replace(/\s+/gu, ' ');
    const cached = this.queryVectors.get(key);
    if (cached) {
      this.queryVectors.delete(key);
      this.queryVectors.set(key, cached);
      return cached;
    }
    const signal = AbortSignal.any([disconnected, AbortSignal.timeout(QUERY_TIMEOUT_MS)]);
    const [vector] = await this.embedder.embed([text], 'query', signal).catch(() => []);
    if (!vector) return null;
    const unit = unitVector(vector);
    this.queryVectors.set(key, unit);
    const [oldest] = this.queryVectors.keys();
    if (this.queryVectors.size > MAX_CACHED_QUERIES && oldest !== undefined) this.queryVectors.delete(oldest);
    return unit;
  }

  /**
   * Adds a job that embeds documents without a vector, in the running transaction. These jobs run in sequence across all
   * processes: two at a time would embed the same documents and occupy workers of other jobs.
   */
  async requestEmbedding(): Promise<void> {
    if (!this.embedder.isOff) await this.jobs.add(JOB, {}, { key: JOB, queue: JOB });
  }

  /** Discards the vectors of a slice, so that they are computed again. */
  async markStale(sliceId: string): Promise<void> {
    await this.database.execute(MARK_STALE, [sliceId, this.embedder.model]);
  }

  /** The number of documents without a current vector, by slice. */
  async countMissing(): Promise<Map<string, number>> {
    const { model, languages } = this.embedder;
    const rows = await this.database.query<{ id: string; pending: number }>(COUNT_MISSING, [model, languages]);
    return new Map(rows.map(({ id, pending }) => [id, pending]));
  }

  /** Finds documents that lack vectors because the service now starts with another embedder. */
  @Cron('catalog.embed-missing', '* * * * *')
  async requestMissing(): Promise<void> {
    await this.requestEmbedding();
  }

  /** Embeds missing vectors in groups. */
  @Job(JOB)
  async embedMissing(): Promise<void> {
    if (this.embedder.isOff) return;
    const { signal } = this.stopping;
    for (let group = 0; group < MAX_GROUPS_PER_JOB && !signal.aborted; group += 1) {
      const isDone = await this.embedGroup().then(
        (hasEmbedded) => !hasEmbedded,
        (error: unknown) => {
          if (!signal.aborted) throw error;
          return false;
        },
      );
      if (isDone) return;
    }
    await this.requestEmbedding();
  }

  /** Embeds a group of documents without a vector. Returns false if none is missing. */
  async embedGroup(): Promise<boolean> {
    const { model, languages, groupSize } = this.embedder;
    const found = await this.database.query<MissingVector>(MISSING, [model, languages, groupSize]);
    const missing = [...new Map(found.map((document) => [document.hash.toString('hex'), document])).values()];
    if (missing.length === 0) {
      await this.database.execute(ADOPT_MODEL, [model, languages]);
      return false;
    }
    const documents = missing.map(({ id, fields }) => ({ id, text: embeddingText(fields) }));
    const vectors = await this.documentVectors(documents).catch((error: unknown) => {
      this.failing = !this.stopping.signal.aborted;
      throw error;
    });
    this.failing = false;
    const hashes = missing.map(({ hash }) => hash);
    const values = vectors.map((vector) => vector && Buffer.from(vector.buffer));
    await this.database.transaction(async () => {
      const slices = await this.slices.openExisting(await this.database.query<SliceKey>(SLICES_WITH, [hashes]));
      await this.database.execute(SAVE, [hashes, model, values]);
      const generations = slices.map(({ generation }) => generation);
      await this.database.execute(STAMP, [hashes, slices.map(({ id }) => id), generations]);
      await this.database.execute(ADOPT_MODEL, [model, languages]);
      this.slices.notify();
    });
    return true;
  }

  /** If the model rejects a group, its documents are embedded one by one. Throws if the model rejects all texts. */
  private async documentVectors(documents: readonly EmbeddableDocument[]): Promise<(Float32Array | null)[]> {
    try {
      return await this.embedTogether(documents);
    } catch (error) {
      if (this.stopping.signal.aborted) throw error;
      const vectors: (Float32Array | null)[] = [];
      for (const document of documents) vectors.push(await this.embedAlone(document));
      return vectors;
    }
  }

  private async embedTogether(documents: readonly EmbeddableDocument[]): Promise<(Float32Array | null)[]> {
    const texts = documents.map(({ text }) => text).filter(Boolean);
    const vectors = texts.length === 0 ? [] : await this.untilStopped(this.embedder.embed(texts, 'document'));
    let next = 0;
    return documents.map(({ text }) => {
      const vector = text === '' ? null : vectors[next++];
      return vector ? unitVector(vector) : null;
    });
  }

  /** Waits for a result, and rejects as soon as the process begins to stop. */
  private untilStopped<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.stopping;
    return new Promise((resolve, reject) => {
      const stop = () => reject(new Error('The service is stopping'));
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  /** Returns null if the model rejects this document but not other texts. */
  private async embedAlone(document: EmbeddableDocument): Promise<Float32Array | null> {
    try {
      const [vector = null] = await this.embedTogether([document]);
      return vector;
    } catch (error) {
      await this.embedder.embed(PROBE, 'document');
      this.log.warn({ err: error, document: document.id }, 'document cannot be embedded; only keyword search finds it');
      return null;
    }
  }
}

/** The embedder that `EMBEDDER` names. */
function createEmbedder(env: Env, calls: OutgoingCalls): Embedder {
  if (env.embedder === 'none') return new NoEmbedder();
  return env.embedder === 'http' ? new HttpEmbedder(env, calls) : new BuiltinEmbedder(env.embeddingThreads);
}
