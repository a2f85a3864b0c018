import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Histogram } from 'prom-client';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { unavailable } from '../../../platform/errors/app-error.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { ReadinessCheck } from '../../../platform/observability/readiness.js';
import {
  type IndexStats,
  type SearchEngine,
  SearchEngineUnavailableError,
  type SearchRequest,
  type SearchResult,
  SearchWorker,
  type Synonym,
} from '../../../search-engine/index.js';
import { DocumentsRepository } from '../documents/documents.repository.js';
import { NOTIFY_CHANNEL, type Slice, SlicesService } from '../slices/slices.service.js';
import { SCHEMAS } from '../slices/verticals.js';

/** Notifications can be lost, so changes are polled, too. */
const POLL_INTERVAL_MS = 500;
/** An index is rebuilt when replaced and deleted documents occupy this part of it. */
const MAX_GARBAGE = 0.4;
const CATCH_UP_TIMEOUT_MS = 1_500;
const CATCH_UP_INTERVAL_MS = 20;

/** A slice that this process can search; `slice` is the state that its index was updated to. */
export interface IndexedSlice {
  readonly slice: Slice;
  readonly stats: IndexStats;
}

/** Keeps the search indexes of this process up to date with the database. */
@Injectable()
export class CatalogIndexService implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** Whether every slice has an index. It stays true while slices are added later. */
  ready = false;
  private readonly engine: SearchEngine;
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
  ) {
    this.engine = new SearchWorker({ now: () => clock.now().getTime(), onLost: () => this.reload() });
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
    return this.ready;
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

  find(sliceId: string): IndexedSlice | null {
    return this.indexed.get(sliceId) ?? null;
  }

  /** Throws 503 while the index is lost. */
  async search(sliceId: string, request: SearchRequest): Promise<SearchResult> {
    try {
      return await this.engine.search(sliceId, request);
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

  /** The age of a change in milliseconds. */
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
    for (const slice of slices) {
      const indexed = this.find(slice.id);
      if (!indexed || mustBeRebuilt(indexed, slice)) this.startRebuild(slice);
      if (indexed && indexed.slice.generation < slice.generation) await this.applyChanges(indexed, slice);
    }
    if (this.ready) return;
    await Promise.all(this.rebuilds.values());
    this.ready = slices.every(({ id }) => this.indexed.has(id));
  }

  private async applyChanges({ slice: before, stats }: IndexedSlice, slice: Slice): Promise<void> {
    // Until a rebuild is complete, the index keeps the vectors of its present model.
    const { model, rebuild, purgedGeneration } = before;
    const updated = { ...slice, model, rebuild, purgedGeneration };
    let current = stats;
    for await (const changes of this.documents.changesSince(updated, before.generation)) {
      current = await this.engine.apply(slice.id, before.generation, changes);
    }
    current = await this.engine.apply(slice.id, slice.generation, []);
    this.indexed.set(slice.id, { slice: updated, stats: current });
    this.seconds.observe(this.ageOf(slice) / 1_000);
  }

  private startRebuild(slice: Slice): void {
    if (this.rebuilds.has(slice.id) || this.stopping) return;
    const rebuild = this.rebuild(slice)
      .catch((error: unknown) => this.logFailure(error))
      .finally(() => this.rebuilds.delete(slice.id));
    this.rebuilds.set(slice.id, rebuild);
  }

  /** Builds a new index beside the present one. The next update applies the changes that are made meanwhile. */
  private async rebuild(slice: Slice): Promise<void> {
    const { id, vertical, locale, market } = slice;
    const { currency } = this.slices.findMarket(market) ?? this.slices.defaultMarket;
    const settings = { id, schema: SCHEMAS[vertical], locale, currency };
    const stats = await this.engine.rebuild(settings, slice.generation, this.pagesUntilStopped(slice));
    this.indexed.set(id, { slice, stats });
    this.update();
  }

  private async *pagesUntilStopped(slice: Slice) {
    for await (const page of this.documents.allIn(slice)) {
      if (this.stopping) throw new Error('The service is stopping');
      yield page;
    }
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

/** Deleted documents are no longer stored, the model has changed, a rebuild is requested, or the index has too much garbage. */
function mustBeRebuilt({ slice: indexed, stats }: IndexedSlice, slice: Slice): boolean {
  return (
    indexed.generation < slice.purgedGeneration ||
    indexed.model !== slice.model ||
    indexed.rebuild !== slice.rebuild ||
    stats.garbage > MAX_GARBAGE
  );
}
