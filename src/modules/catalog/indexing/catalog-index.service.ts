import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Histogram } from 'prom-client';
import { createHash } from 'node:crypto';
import { FairShare, quarterOf } from '../../../platform/context/fair-share.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { unavailable } from '../../../platform/errors/app-error.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { ReadinessCheck } from '../../../platform/observability/readiness.js';
import {
  DEFAULT_RANKING,
  type IndexSettings,
  type IndexStats,
  type SearchEngine,
  SearchEngineUnavailableError,
  type SearchRequest,
  type SearchResult,
  SearchWorker,
  type Synonym,
} from '../../../search-engine/index.js';
import { DocumentsRepository } from '../documents/documents.repository.js';
import { PostgresSearchEngine } from '../postgres-search/postgres-search-engine.js';
import { NOTIFY_CHANNEL, type Slice, SlicesService } from '../slices/slices.service.js';
import { SCHEMAS } from '../slices/verticals.js';

/** Notifications can be lost, so changes are also polled. */
const POLL_INTERVAL_MS = 500;
/** An index is rebuilt when replaced and deleted documents occupy this part of it. */
const MAX_GARBAGE = 0.4;
const CATCH_UP_TIMEOUT_MS = 1_500;
const CATCH_UP_INTERVAL_MS = 20;
/** Must change when stored indexes of earlier versions of the program can no longer be searched. */
const STORED_FORMAT = 1;

/** A slice that this process can search; `slice` is the current state of its index. */
export interface IndexedSlice {
  readonly slice: Slice;
  readonly stats: IndexStats;
  /** The inputs of the index besides its documents. */
  readonly revision: string;
}

/**
 * Keeps the search indexes up to date with the database: with `SEARCH_ADAPTER=memory` the indexes of this process, with
 * `postgres` the indexes of all processes, which one of them writes.
 */
@Injectable()
export class CatalogIndexService implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** Whether every slice has an index. It stays true if slices are added later. */
  ready = false;
  readonly adapter: 'memory' | 'postgres';
  private readonly engine: SearchEngine;
  /** The engine, if its indexes are stored in the database. */
  private readonly stored: PostgresSearchEngine | null = null;
  /** The part of the connections that searches of stored indexes use. */
  private readonly share: FairShare | null = null;
  private readonly indexed = new Map<string, IndexedSlice>();
  private readonly rebuilds = new Map<string, Promise<void>>();
  private synonymRevision: number | null = null;
  private updating: Promise<void> = Promise.resolve();
  private stopping = false;
  private changed = false;
  private wake: () => void = () => undefined;
  /** Whether the last update failed: only the first failure is logged. */
  private failing = false;
  private readonly seconds: Histogram;

  constructor(
    private readonly database: Database,
    private readonly slices: SlicesService,
    private readonly documents: DocumentsRepository,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
    notifier: Notifier,
    metrics: Metrics,
    env: Env,
  ) {
    this.adapter = env.searchAdapter === 'postgres' ? 'postgres' : 'memory';
    if (this.adapter === 'postgres') {
      this.stored = new PostgresSearchEngine(database, clock);
      const running = quarterOf(env.databasePoolSize);
      const runningPerCaller = Math.ceil(running / 2);
      this.share = new FairShare({ running, waiting: 32 * running, runningPerCaller, waitingPerCaller: 16 });
    }
    this.engine = this.stored ?? new SearchWorker({ now: () => clock.now().getTime(), onLost: () => this.reload() });
    this.seconds = new Histogram({
      name: 'catalog_change_to_searchable_seconds',
      help: 'Time from a change of the catalog until this process can search it',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15],
      registers: [metrics.registry],
    });
    notifier.subscribe(NOTIFY_CHANNEL, { onNotification: () => this.update(), onConnect: () => this.update() });
    slices.subscribe(() => this.update());
  }

  @ReadinessCheck('catalog')
  isReady(): boolean {
    // Stored indexes need not be loaded. While one is built for the first time, searches are answered with 503.
    return this.ready || this.stored !== null;
  }

  onApplicationBootstrap(): void {
    this.updating = this.updateUntilStopped();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.update();
    await this.updating;
    await Promise.all(this.rebuilds.values());
  }

  /** Runs after `beforeApplicationShutdown`, so that open requests can still search. */
  async onApplicationShutdown(): Promise<void> {
    await this.engine.stop();
  }

  /** The slices that this process can search. */
  list(): IndexedSlice[] {
    return [...this.indexed.values()];
  }

  /**
   * Returns the slices whose stored index was built since the last request. Null if each process has its own indexes and
   * rebuilds them itself.
   */
  async findRebuilt(sliceIds: readonly string[]): Promise<Slice[] | null> {
    if (!this.stored) return null;
    const { slices } = await this.slices.listAll();
    const revisions = new Map((await this.stored.listStored()).map(({ id, revision }) => [id, revision]));
    const wanted = slices.filter(({ id }) => sliceIds.includes(id));
    return wanted.filter((slice) => revisions.get(slice.id) === this.settingsOf(slice).revision);
  }

  find(sliceId: string): IndexedSlice | null {
    return this.indexed.get(sliceId) ?? null;
  }

  /**
   * Rejects searches while the index is lost. A search of stored indexes occupies a connection, so all searches together use a
   * quarter of the pool, and one caller a part of it (429).
   */
  async search(sliceId: string, request: SearchRequest, caller: string): Promise<SearchResult> {
    const search = () => this.engine.search(sliceId, request);
    try {
      return await (this.share ? this.share.run(caller, search) : search());
    } catch (error) {
      throw error instanceof SearchEngineUnavailableError ? unavailable(error.message) : error;
    }
  }

  /** Waits for a limited time until this process has a generation that another process has searched. */
  async catchUp(sliceId: string, generation: number): Promise<void> {
    const deadline = performance.now() + CATCH_UP_TIMEOUT_MS;
    while ((this.find(sliceId)?.slice.generation ?? 0) < generation && performance.now() < deadline) {
      this.update();
      await new Promise((resolve) => setTimeout(resolve, CATCH_UP_INTERVAL_MS));
    }
  }

  /** Returns the age of a change in milliseconds. */
  ageOf({ changedAt }: Slice): number {
    return Math.max(0, this.clock.now().getTime() - changedAt);
  }

  private update(): void {
    this.changed = true;
    this.wake();
  }

  private reload(): void {
    this.indexed.clear();
    this.synonymRevision = null;
    this.ready = false;
    this.update();
  }

  private async updateUntilStopped(): Promise<void> {
    while (!this.stopping) {
      this.changed = false;
      try {
        await this.updateOnce();
        this.failing = false;
      } catch (error) {
        this.logFailure(error);
      }
      if (!this.stopping && !this.changed) await this.pause();
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async updateOnce(): Promise<void> {
    const { slices, synonymRevision } = await this.slices.listAll();
    if (synonymRevision !== null && synonymRevision !== this.synonymRevision) {
      await this.engine.setSynonyms(await this.synonyms());
      this.synonymRevision = synonymRevision;
    }
    if (this.stored) await this.findStored(this.stored, slices);
    if (!this.stored || (await this.stored.lead())) await this.updateIndexes(slices);
    if (this.ready) return;
    // Searches of a stored index continue while another one is built.
    if (!this.stored) await Promise.all(this.rebuilds.values());
    this.ready = slices.every(({ id }) => this.indexed.has(id));
  }

  private async updateIndexes(slices: readonly Slice[]): Promise<void> {
    for (const slice of slices) {
      const indexed = this.find(slice.id);
      if (!indexed || this.mustBeRebuilt(indexed, slice)) this.startRebuild(slice);
      if (indexed && indexed.slice.generation < slice.generation) await this.applyChanges(indexed, slice);
    }
    await this.stored?.refreshExpired();
  }

  /** The indexes that this or another process has written. */
  private async findStored(engine: PostgresSearchEngine, slices: readonly Slice[]): Promise<void> {
    const indexes = new Map((await engine.listStored()).map((index) => [index.id, index]));
    for (const slice of slices) {
      engine.configure(this.settingsOf(slice));
      const index = indexes.get(slice.id);
      if (!index) this.indexed.delete(slice.id);
      else {
        const { generation, revision, model, stats } = index;
        this.indexed.set(slice.id, { slice: { ...slice, generation, model }, stats, revision });
      }
    }
  }

  private async applyChanges({ slice: before, stats, revision }: IndexedSlice, slice: Slice): Promise<void> {
    // Until a rebuild is complete, the index keeps the vectors of its current model.
    const { model, rebuild, purgedGeneration } = before;
    const updated = { ...slice, model, rebuild, purgedGeneration };
    let current = stats;
    for await (const changes of this.documents.changesSince(this.readable(updated), before.generation)) {
      current = await this.engine.apply(slice.id, before.generation, changes);
    }
    current = await this.engine.apply(slice.id, slice.generation, []);
    this.indexed.set(slice.id, { slice: updated, stats: current, revision });
    this.seconds.observe(this.ageOf(slice) / 1_000);
  }

  private startRebuild(slice: Slice): void {
    if (this.rebuilds.has(slice.id) || this.stopping) return;
    const rebuild = this.rebuild(slice)
      .catch((error: unknown) => this.logFailure(error))
      .finally(() => this.rebuilds.delete(slice.id));
    this.rebuilds.set(slice.id, rebuild);
  }

  /** Builds a new index beside the current one. The next update applies the changes that are made meanwhile. */
  private async rebuild(slice: Slice): Promise<void> {
    const settings = this.settingsOf(slice);
    const stats = await this.engine.rebuild(settings, slice.generation, this.pagesUntilStopped(slice));
    this.indexed.set(slice.id, { slice, stats, revision: settings.revision });
    this.update();
  }

  private settingsOf(slice: Slice): IndexSettings & { revision: string } {
    const { id, vertical, locale, market } = slice;
    const { currency } = this.slices.findMarket(market) ?? this.slices.defaultMarket;
    const schema = SCHEMAS[vertical];
    const { k1, b } = DEFAULT_RANKING;
    const content = JSON.stringify([STORED_FORMAT, [...schema], locale, currency, k1, b]);
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16);
    // Another model makes no difference to a stored index without vectors.
    const model = this.stored?.hasVectors === false ? null : slice.model;
    const revision = [slice.rebuild, model, hash].join('/');
    return { id, schema, locale, currency, revision, model };
  }

  /** An index is rebuilt if deleted documents are no longer stored, its inputs have changed, or it has too much garbage. */
  private mustBeRebuilt({ slice: indexed, stats, revision }: IndexedSlice, slice: Slice): boolean {
    return (
      indexed.generation < slice.purgedGeneration ||
      revision !== this.settingsOf(slice).revision ||
      stats.garbage > MAX_GARBAGE
    );
  }

  private async *pagesUntilStopped(slice: Slice) {
    for await (const page of this.documents.allIn(this.readable(slice))) {
      if (this.stopping) throw new Error('The service is stopping');
      yield page;
    }
    // A stored index is searched at once after a build of minutes, so it must include the changes made in the meantime.
    const present = this.stored && (await this.slices.listAll()).slices.find(({ id }) => id === slice.id);
    if (present) yield* this.documents.changesSince(this.readable(present), slice.generation);
  }

  /** Returns the slice to read documents from: a stored index reads their vectors while it is written. */
  private readable(slice: Slice): Slice {
    return this.stored ? { ...slice, model: null } : slice;
  }

  private synonyms(): Promise<Synonym[]> {
    return this.database.query<Synonym>('select language, input, terms from catalog_synonym order by id');
  }

  private logFailure(error: unknown): void {
    if (this.stopping || this.failing) return;
    this.failing = true;
    this.log.warn({ err: error }, 'the catalog index cannot be updated; searches use its last state');
  }
}
