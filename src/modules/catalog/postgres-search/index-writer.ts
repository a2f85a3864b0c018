import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { type IndexedDocument, type IndexSettings, Tokenizer } from '../../../search-engine/index.js';
import { FieldKeys } from './field-keys.js';
import { type IndexRow, lengthOf, type RowContext, rowOf } from './index-row.js';
import { IndexStatistics, type RemovedRow, type RowChanges } from './index-statistics.js';
import type { VectorStore } from './vector-store.js';

const LEASE_SECONDS = 10;
const RENEWED_AFTER_MS = 3_000;
/** The statistics of a rebuild are written when there are this many changes. */
const MAX_STATISTICS = 400_000;
/** Rows of deleted indexes are removed in batches, each in its own transaction. */
const REMOVED_AT_ONCE = 5_000;
/** The typical length is the average of the current index or of the first documents, or the default if there are few. */
const MIN_SAMPLE = 50;
const DEFAULT_LENGTH = 60;

const TAKE_LEASE = `
  insert into catalog_search_lease as lease (owner, expires_at) values ($1, now() + make_interval(secs => ${LEASE_SECONDS}))
  on conflict (single) do update set owner = excluded.owner, expires_at = excluded.expires_at
  where lease.owner = excluded.owner or lease.expires_at < now()`;

const IS_FREE = `
  select owner = $1 or expires_at < now() as "isFree" from catalog_search_lease`;

/** Locks the row of the lease at the beginning and at the end of every write, so that two processes never write at the same time. */
const RENEW_LEASE = `
  update catalog_search_lease set expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}) where owner = $1`;

/** No request waits for a write, and writing the collected changes of a large catalog can take many seconds. */
const ALLOW_LONG_STATEMENTS = { text: `set local statement_timeout = '60s'` };

const CREATE = `
  insert into catalog_search_index (slice_id, revision, generation, typical_length) values ($1, $2, $3, $4)
  returning id`;

const LOCK = `
  select id, typical_length as "typicalLength" from catalog_search_index where slice_id = $1 and searched for update`;

const AVERAGE_LENGTH = `
  select total_length / documents as length from catalog_search_index
  where slice_id = $1 and searched and documents >= $2 and total_length > 0`;

const REMOVE = `
  delete from catalog_search_document where index_id = $1 and id = any($2)
  returning length, tsvector_to_array(words) as lexemes, keys`;

const INSERT = `
  insert into catalog_search_document
    (index_id, id, seq, fields, words, keys, bounds, length, price, price_down, newest, merit, departure, start, latitude,
     longitude, expires_at)
  select $1, id, seq, fields, words::tsvector, keys::bigint[], bounds::bigint[], length, price, price_down, newest, merit,
    departure, start, latitude, longitude, to_timestamp(expires_at / 1000)
  from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::real[], $9::float8[],
    $10::float8[], $11::float8[], $12::smallint[], $13::float8[], $14::float8[], $15::float8[], $16::float8[], $17::float8[])
    as given (id, seq, fields, words, keys, bounds, length, price, price_down, newest, merit, departure, start, latitude,
      longitude, expires_at)`;

const SET_GENERATION = 'update catalog_search_index set generation = greatest(generation, $2) where id = $1';

const REMOVE_UNUSED = `
  delete from catalog_search_index where not searched and not (id = any($1)) returning id`;

const EXPIRED = `
  select document.seq::float8 as seq, document.id, document.fields::text as fields, document.deleted_at is not null as deleted,
    (extract(epoch from document.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from document.updated_at) * 1000)::float8 as "updatedAt", null as vector, index.slice_id as "sliceId",
    index.id as "indexId"
  from catalog_search_document as row
  join catalog_search_index as index on index.id = row.index_id and index.searched
  join catalog_document as document on document.slice_id = index.slice_id and document.id = row.id
  where row.expires_at <= $1 order by row.expires_at limit 500`;

const EMPTIED_TABLES = ['document', 'stem', 'word', 'value'];

/** The index used to search a slice. */
interface IndexKey {
  readonly sliceId: string;
  readonly indexId: string;
}

/** Another process has taken over the writing of the indexes. */
class LeaseLostError extends Error {}

/** Writes the indexes. One process at a time has the lease to do so. */
export class IndexWriter {
  private readonly owner = randomUUID();
  private leading = false;
  private renewedAt = 0;
  /** Writes of this process follow each other, so that they do not wait for locks in the database. */
  private written: Promise<unknown> = Promise.resolve();
  private readonly tokenizers = new Map<string, Tokenizer>();
  private readonly settings = new Map<string, IndexSettings>();
  private readonly contexts = new Map<string, RowContext>();
  /** The indexes that this process is building. */
  private readonly drafts = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly vectors: VectorStore,
  ) {}

  /** Whether this process writes the indexes; takes over from a process that has ended. */
  async lead(): Promise<boolean> {
    if (this.leading && performance.now() - this.renewedAt < RENEWED_AFTER_MS) return true;
    const [lease] = await this.database.query<{ isFree: boolean }>(IS_FREE, [this.owner]);
    const taken = lease?.isFree === false ? 0 : (await this.database.execute(TAKE_LEASE, [this.owner])).count;
    const isNew = taken === 1 && !this.leading;
    this.leading = taken === 1;
    this.renewedAt = performance.now();
    // Takes over the builds that the last process left unfinished.
    if (isNew) await this.removeUnused();
    return this.leading;
  }

  async release(): Promise<void> {
    if (this.leading) await this.database.execute('delete from catalog_search_lease where owner = $1', [this.owner]);
  }

  /** The inputs for computing the rows of a slice; known before its index is written. */
  configure(settings: IndexSettings): void {
    this.settings.set(settings.id, settings);
  }

  /** If the index was replaced after changes were read for it, they must be read again for the new one. */
  async apply({ sliceId, indexId }: IndexKey, generation: number, changes: readonly IndexedDocument[]): Promise<void> {
    await this.write(async () => {
      const [index] = await this.database.query<{ id: string; typicalLength: number }>(LOCK, [sliceId]);
      if (index?.id !== indexId) return;
      if (changes.length > 0) {
        const statistics = new IndexStatistics(index.id);
        const context = this.contextOf(sliceId, index.id, index.typicalLength);
        statistics.count(await this.replace(context, changes, this.rowsOf(context, changes)));
        await statistics.write(this.database);
      }
      await this.database.execute(SET_GENERATION, [index.id, generation]);
    });
  }

  /** Builds an index beside the current one and then replaces it. */
  async rebuild(
    settings: IndexSettings,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<void> {
    this.configure(settings);
    let draft: { context: RowContext; statistics: IndexStatistics } | null = null;
    let writing: Promise<RowChanges> | null = null;
    try {
      for await (const page of pages) {
        const { context, statistics } = (draft ??= await this.createDraft(settings, generation, page));
        // Computes rows while the server stores the rows of the previous page.
        const rows = this.rowsOf(context, page);
        if (writing) statistics.count(await writing);
        if (statistics.size > MAX_STATISTICS) await this.writeStatistics(statistics);
        writing = this.write(() => this.replace(context, page, rows));
        writing.catch(() => undefined);
      }
      const { context, statistics } = (draft ??= await this.createDraft(settings, generation, []));
      if (writing) statistics.count(await writing);
      await this.writeStatistics(statistics);
      await this.write(() => this.publish(settings.id, context.indexId));
    } finally {
      if (draft) this.drafts.delete(draft.context.indexId);
    }
    await this.removeUnused();
  }

  /** Recomputes the rows in which a departure has since begun. */
  async refreshExpired(): Promise<void> {
    const expired = await this.database.query<IndexedDocument & IndexKey>(EXPIRED, [this.clock.now()]);
    for (const [indexId, index] of new Map(expired.map((document) => [document.indexId, document]))) {
      const documents = expired.filter((document) => document.indexId === indexId);
      if (this.settings.has(index.sliceId)) await this.apply(index, 0, documents);
    }
  }

  private async createDraft(settings: IndexSettings, generation: number, sample: readonly IndexedDocument[]) {
    const [present] = await this.database.query<{ length: number }>(AVERAGE_LENGTH, [settings.id, MIN_SAMPLE]);
    const typicalLength = present?.length ?? this.typicalLengthOf(settings, sample);
    const [created] = await this.database.query<{ id: string }>(CREATE, [
      settings.id,
      settings.revision ?? '',
      generation,
      typicalLength,
    ]);
    if (!created) throw new Error('The index was not created');
    this.drafts.add(created.id);
    await this.vectors.create(created.id, settings.model ?? null);
    return {
      context: this.contextOf(settings.id, created.id, typicalLength),
      statistics: new IndexStatistics(created.id),
    };
  }

  private async publish(sliceId: string, indexId: string): Promise<void> {
    await this.database.execute(
      'update catalog_search_index set searched = false where slice_id = $1 and searched and id <> $2',
      [sliceId, indexId],
    );
    await this.database.execute('update catalog_search_index set searched = true where id = $1', [indexId]);
  }

  /** Deletes the indexes that are neither searched nor being built, with their rows. */
  private async removeUnused(): Promise<void> {
    const removed = await this.database.query<{ id: string }>(REMOVE_UNUSED, [[...this.drafts]]);
    const ids = removed.map(({ id }) => id);
    for (const id of ids) this.contexts.delete(id);
    for (const table of ids.length > 0 ? [...EMPTIED_TABLES, ...this.vectors.tables] : []) {
      const text = `delete from catalog_search_${table} where ctid = any(array(
        select ctid from catalog_search_${table} where index_id = any($1) limit ${REMOVED_AT_ONCE}))`;
      for (let count = REMOVED_AT_ONCE; count === REMOVED_AT_ONCE;)
        ({ count } = await this.database.execute(text, [ids]));
    }
  }

  private async writeStatistics(statistics: IndexStatistics): Promise<void> {
    await this.write(() => statistics.write(this.database));
    statistics.clear();
  }

  private async replace(
    { indexId }: RowContext,
    documents: readonly IndexedDocument[],
    rows: readonly IndexRow[],
  ): Promise<RowChanges> {
    const ids = documents.map(({ id }) => id);
    const removed = await this.database.query<RemovedRow>(REMOVE, [indexId, ids]);
    if (rows.length > 0) await this.database.execute(INSERT, [indexId, ...columnsOf(rows)]);
    const found = rows.map(({ id }) => id);
    await this.vectors.replace(indexId, ids, found);
    return { removed, rows };
  }

  /** The rows of the documents that customers find. If a document changed several times, the last change counts. */
  private rowsOf(context: RowContext, documents: readonly IndexedDocument[]): IndexRow[] {
    const now = this.clock.now().getTime();
    const last = new Map(documents.map((document) => [document.id, document]));
    return [...last.values()].flatMap((document) => rowOf(document, context, now) ?? []);
  }

  /** Runs the work in a transaction, and only if this process still has the lease. */
  private async write<T>(work: () => Promise<T>): Promise<T> {
    const result = this.written.then(() =>
      this.database.transaction(async () => {
        await this.database.write(ALLOW_LONG_STATEMENTS);
        const { count } = await this.database.execute(RENEW_LEASE, [this.owner]);
        if (count === 0) throw new LeaseLostError('Another process writes the indexes of the catalog');
        const done = await work();
        await this.database.write({ text: RENEW_LEASE, values: [this.owner] });
        return done;
      }),
    );
    this.written = result.catch(() => undefined);
    await result;
    this.renewedAt = performance.now();
    return result;
  }

  private contextOf(sliceId: string, indexId: string, typicalLength: number): RowContext {
    const known = this.contexts.get(indexId);
    if (known) return known;
    const settings = this.settings.get(sliceId);
    if (!settings) throw new Error(`The settings of the slice ${sliceId} are not known`);
    const { schema, currency, locale } = settings;
    const keys = new FieldKeys(indexId, schema);
    const context = { indexId, schema, currency, tokenizer: this.tokenizerOf(locale), keys, typicalLength };
    this.contexts.set(indexId, context);
    return context;
  }

  private typicalLengthOf({ id, locale, schema, currency }: IndexSettings, sample: readonly IndexedDocument[]): number {
    const context = {
      indexId: id,
      schema,
      currency,
      tokenizer: this.tokenizerOf(locale),
      keys: new FieldKeys(id, schema),
      typicalLength: DEFAULT_LENGTH,
    };
    const now = this.clock.now().getTime();
    const lengths = sample.map((document) => lengthOf(document, context, now)).filter((length) => length > 0);
    if (lengths.length < MIN_SAMPLE) return DEFAULT_LENGTH;
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  }

  private tokenizerOf(locale: string): Tokenizer {
    const known = this.tokenizers.get(locale) ?? new Tokenizer(locale);
    this.tokenizers.set(locale, known);
    return known;
  }
}

function columnsOf(rows: readonly IndexRow[]): unknown[][] {
  return [
    rows.map(({ id }) => id),
    rows.map(({ seq }) => seq),
    rows.map(({ fields }) => fields),
    rows.map(({ words }) => words),
    rows.map(({ keys }) => `{${keys.join(',')}}`),
    rows.map(({ bounds }) => `{${bounds.join(',')}}`),
    rows.map(({ length }) => length),
    rows.map(({ price }) => price),
    rows.map(({ priceDown }) => priceDown),
    rows.map(({ newest }) => newest),
    rows.map(({ merit }) => merit),
    rows.map(({ departure }) => departure),
    rows.map(({ start }) => start),
    rows.map(({ latitude }) => latitude),
    rows.map(({ longitude }) => longitude),
    rows.map(({ expiresAt }) => expiresAt),
  ];
}
