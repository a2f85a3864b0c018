import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { canonicalLocale } from './locale.js';
import type { Vertical } from './verticals.js';

/** The PostgreSQL channel on which processes notify each other of changes that their indexes must follow. */
export const NOTIFY_CHANNEL = 'catalog_changed';

/** A slice: all documents of one vertical, language and market. A search reads exactly one. */
export interface SliceKey {
  readonly vertical: Vertical;
  readonly locale: string;
  readonly market: string;
}

/** A slice that is locked by the running transaction, which writes its next generation. */
export interface OpenSlice extends SliceKey {
  readonly id: string;
  readonly generation: string;
}

/** A slice as it is stored. */
export interface Slice extends SliceKey {
  readonly id: string;
  readonly generation: number;
  /** Documents that were deleted before this generation are no longer stored. */
  readonly purgedGeneration: number;
  /** Increases with each request to rebuild the index. */
  readonly rebuild: number;
  readonly documents: number;
  /** The embedding model whose vectors are searched; null if there is none. */
  readonly model: string | null;
  /** Time at which the generation was written, in milliseconds. */
  readonly changedAt: number;
}

/** A market as configured in `CATALOG_MARKETS`. */
export interface Market {
  readonly code: string;
  readonly currency: string;
  readonly locale: string;
}

const ALL = `
  select id, vertical, locale, market, generation::float8 as generation, purged_generation::float8 as "purgedGeneration",
    rebuild, document_count as documents, embedding_model as model,
    (extract(epoch from changed_at) * 1000)::float8 as "changedAt",
    (select revision from catalog_synonym_revision) as "synonymRevision"
  from catalog_slice order by id`;

const MATCHING = `
  select id, document_count as documents from catalog_slice
  where ($1::text is null or vertical = $1) and ($2::text is null or lower(locale) = lower($2))
    and ($3::text is null or lower(market) = lower($3))`;

const CREATE_MISSING = `
  insert into catalog_slice (vertical, locale, market, generation, document_count)
  select distinct vertical, locale, market, 1, 0 from unnest($1::text[], $2::text[], $3::text[]) as s (vertical, locale, market)
  order by vertical, locale, market
  on conflict do nothing`;

const LOCK = `
  select id from catalog_slice
  where (vertical, locale, market) in (select * from unnest($1::text[], $2::text[], $3::text[]))
  order by id for update`;

const OPEN = `
  with locked as (${LOCK})
  update catalog_slice as slice set generation = generation + 1, changed_at = $4 from locked where slice.id = locked.id
  returning slice.id, vertical, locale, market, generation`;

const COUNT = `
  update catalog_slice as slice set document_count = document_count + change
  from unnest($1::bigint[], $2::int[]) as c (id, change) where slice.id = c.id and change <> 0`;

/** The slices of the catalog and their generations, and the configured markets. */
@Injectable()
export class SlicesService {
  readonly defaultMarket: Market;
  readonly markets: readonly Market[];
  private readonly subscribers: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
    env: Env,
  ) {
    this.markets = env.catalogMarkets.map((entry) => {
      const [code = '', currency = '', locale = ''] = entry.split(':');
      return { code, currency, locale: canonicalLocale(locale) ?? locale };
    });
    this.defaultMarket = this.markets[0] ?? { code: 'default', currency: 'EUR', locale: 'en-GB' };
  }

  /** Ignores case. */
  findMarket(code: string): Market | null {
    return this.markets.find((market) => market.code.toLowerCase() === code.toLowerCase()) ?? null;
  }

  /** All slices, and the revision of the synonyms; null if there is no slice. */
  async listAll(): Promise<{ slices: Slice[]; synonymRevision: number | null }> {
    const rows = await this.database.prepared<Slice & { synonymRevision: number }>('catalog-slices', ALL, []);
    return { slices: rows, synonymRevision: rows[0]?.synonymRevision ?? null };
  }

  /** The slices with these properties; a missing property matches all. Ignores the case of language and market. */
  async listMatching(key: Partial<SliceKey>): Promise<{ id: string; documents: number }[]> {
    return this.database.query(MATCHING, [key.vertical ?? null, key.locale ?? null, key.market ?? null]);
  }

  /**
   * Locks the slices in the order of their ids and starts the next generation of each. Every writer does this first, so
   * generations are committed in order, and a reader who knows a generation misses no change. Creates missing slices.
   */
  async open(keys: readonly SliceKey[]): Promise<OpenSlice[]> {
    await this.database.execute(CREATE_MISSING, keyColumns(keys));
    return this.openExisting(keys);
  }

  /** Like `open`, without creating missing slices. */
  async openExisting(keys: readonly SliceKey[]): Promise<OpenSlice[]> {
    return this.database.query<OpenSlice>(OPEN, [...keyColumns(keys), this.clock.now()]);
  }

  /** Locks slices that the same transaction reads and may then open. */
  async lock(keys: readonly SliceKey[]): Promise<void> {
    await this.database.execute(LOCK, keyColumns(keys));
  }

  /** Publishes a new generation with the number of changed documents and the growth in documents. */
  async publish(changes: readonly { slice: OpenSlice; documents: number; growth: number }[]): Promise<void> {
    await this.database.execute(COUNT, [changes.map(({ slice }) => slice.id), changes.map(({ growth }) => growth)]);
    for (const { slice, documents } of changes) {
      const { vertical, locale, market, generation } = slice;
      const data = { vertical, locale, market, generation: Number(generation), documents };
      this.outbox.add({ channel: 'catalog.slices', event: 'catalog.slice.changed', data });
    }
    this.notify();
  }

  /** Requests that all processes rebuild their index of a slice. */
  async requestRebuild(id: string): Promise<void> {
    await this.database.execute('update catalog_slice set rebuild = rebuild + 1 where id = $1', [id]);
    this.notify();
  }

  /** After the commit, notifies this process at once and the others by NOTIFY. A notification can be lost. */
  notify(): void {
    this.database.afterCommit(() => this.subscribers.forEach((subscriber) => subscriber()));
    this.notifier.notify(NOTIFY_CHANNEL, 'changed');
  }

  subscribe(subscriber: () => void): void {
    this.subscribers.push(subscriber);
  }
}

export function sliceName({ vertical, locale, market }: SliceKey): string {
  return `${vertical}/${locale}/${market}`;
}

function keyColumns(keys: readonly SliceKey[]): string[][] {
  return [keys.map((key) => key.vertical), keys.map((key) => key.locale), keys.map((key) => key.market)];
}
