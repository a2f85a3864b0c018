import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { unavailable } from '../../../platform/errors/app-error.js';
import {
  type IndexStats,
  type SearchEngine,
  SearchEngineUnavailableError,
  type SearchRequest,
  type SearchResult,
  SearchWorker,
} from '../../../search-engine/index.js';
import { REGISTRY } from '../fields/registry.js';
import { Markets } from '../slices/markets.js';
import { Freshness } from './freshness.service.js';
import { SliceBell } from './slice-bell.js';
import { SliceReader, type SliceState } from './slice-reader.service.js';

/** Nothing rests on being told: whatever becomes of notices, this often everybody looks for himself. */
const LOOK_EVERY_MS = 500;
const TOO_MUCH_WASTE = 0.4;
const CATCH_UP_WITHIN_MS = 1_500;

/** A slice as this process searches it; `state` is the one that the index was brought to. */
export interface KnownSlice {
  readonly state: SliceState;
  readonly figures: IndexStats;
}

/** Keeps the index of this process at what the database has, from the boot to the end. */
@Injectable()
export class Follower implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** Whether everything that there was at the boot can be searched. */
  ready = false;
  /** What the database had when it was last looked at. */
  newest: readonly SliceState[] = [];
  private readonly engine: SearchEngine;
  private readonly known = new Map<string, KnownSlice>();
  private readonly rebuilding = new Map<string, Promise<void>>();
  private revision: number | null = null;
  private stopping = false;
  private rung = false;
  private wake: () => void = () => undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly reader: SliceReader,
    private readonly markets: Markets,
    private readonly freshness: Freshness,
    private readonly bell: SliceBell,
    clock: Clock,
  ) {
    this.engine = new SearchWorker({ now: () => clock.now().getTime(), onLost: () => this.reload() });
  }

  onApplicationBootstrap(): void {
    this.bell.onRing(() => this.look());
    this.running = this.follow();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.look();
    await this.running;
    await Promise.all(this.rebuilding.values());
  }

  /** Ends after `beforeApplicationShutdown`, so that running requests can still search. */
  async onApplicationShutdown(): Promise<void> {
    await this.engine.stop();
  }

  /** Throws 503 while the index is lost. */
  async search(sliceId: string, request: SearchRequest): Promise<SearchResult> {
    try {
      return await this.engine.search(sliceId, request);
    } catch (error) {
      throw error instanceof SearchEngineUnavailableError ? unavailable(error.message) : error;
    }
  }

  private reload(): void {
    this.known.clear();
    this.revision = null;
    this.ready = false;
    this.look();
  }

  /** Those that can be searched here. */
  slices(): KnownSlice[] {
    return [...this.known.values()];
  }

  find(id: string): KnownSlice | null {
    return this.known.get(id) ?? null;
  }

  /** Waits a little for this process to have seen a generation that another one has searched already. */
  async catchUp(id: string, generation: number): Promise<void> {
    const until = performance.now() + CATCH_UP_WITHIN_MS;
    while ((this.known.get(id)?.state.generation ?? 0) < generation && performance.now() < until) {
      this.look();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private look(): void {
    this.rung = true;
    this.wake();
  }

  private async follow(): Promise<void> {
    while (!this.stopping) {
      this.rung = false;
      try {
        await this.bringUpToDate();
        this.freshness.succeeded();
      } catch (error) {
        if (!this.stopping) this.freshness.failed(error);
      }
      if (!this.stopping && !this.rung) await this.pause();
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async bringUpToDate(): Promise<void> {
    const { slices, revision } = await this.reader.slices();
    this.newest = slices;
    if (revision !== null && revision !== this.revision) {
      await this.engine.setSynonyms(await this.reader.synonyms());
      this.revision = revision;
    }
    for (const slice of slices) {
      const known = this.known.get(slice.id);
      if (!known || isOutOfReach(known, slice)) this.startRebuild(slice);
      if (known && known.state.generation < slice.generation) await this.follows(known, slice);
    }
    if (this.ready) return;
    await Promise.all(this.rebuilding.values());
    this.ready = slices.every(({ id }) => this.known.has(id));
  }

  private async follows(known: KnownSlice, slice: SliceState): Promise<void> {
    const { state } = known;
    // Until it is built anew it is searched with the vectors that it has.
    const as = { ...slice, model: state.model, rebuild: state.rebuild, purgedGeneration: state.purgedGeneration };
    let { figures } = known;
    for await (const changes of this.reader.changes(as, state.generation)) {
      figures = await this.engine.apply(slice.id, state.generation, changes);
    }
    figures = await this.engine.apply(slice.id, slice.generation, []);
    this.known.set(slice.id, { state: as, figures });
    this.freshness.searchable(slice.changedAt);
  }

  private startRebuild(slice: SliceState): void {
    if (this.rebuilding.has(slice.id) || this.stopping) return;
    const work = this.rebuild(slice)
      .catch((error: unknown) => {
        if (!this.stopping) this.freshness.failed(error);
      })
      .finally(() => this.rebuilding.delete(slice.id));
    this.rebuilding.set(slice.id, work);
  }

  /** Built beside the one that is searched. What changes meanwhile comes with the next look, after the swap. */
  private async rebuild(slice: SliceState): Promise<void> {
    const { id, vertical, locale, market } = slice;
    const { currency } = this.markets.find(market) ?? this.markets.standard;
    const reader = this.reader;
    const stopped = () => this.stopping;
    async function* pages() {
      for await (const page of reader.all(slice)) {
        if (stopped()) throw new Error('The service is stopping');
        yield page;
      }
    }
    const figures = await this.engine.rebuild(
      { id, schema: REGISTRY[vertical], locale, currency },
      slice.generation,
      pages(),
    );
    this.known.set(id, { state: slice, figures });
    this.look();
  }
}

/** Rows are missing that would tell what was deleted, there are other vectors, or it is asked for. */
function isOutOfReach({ state, figures }: KnownSlice, slice: SliceState): boolean {
  return (
    state.generation < slice.purgedGeneration ||
    state.model !== slice.model ||
    state.rebuild !== slice.rebuild ||
    figures.garbage > TOO_MUCH_WASTE
  );
}
