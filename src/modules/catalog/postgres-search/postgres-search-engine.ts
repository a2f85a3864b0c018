import type { Clock } from '../../../platform/clock/clock.js';
import type { Database } from '../../../platform/database/database.js';
import {
  type IndexedDocument,
  type IndexSettings,
  type IndexStats,
  type ParsedQuery,
  type SearchEngine,
  type SearchRequest,
  type SearchResult,
  type Synonym,
  SynonymMap,
  Tokenizer,
} from '../../../search-engine/index.js';
import { countFacets } from './facet-sql.js';
import { FieldKeys } from './field-keys.js';
import { IndexWriter } from './index-writer.js';
import { type Matching, matchSql, mostMatchedTerms } from './match-set.js';
import { ResultPages } from './result-pages.js';
import { evaluatedTerms, parseQuery, weighTerms } from './search-words.js';
import { MAX_STATEMENT_MS, SearchStatements } from './search-statements.js';
import { SqlParameters } from './sql-parameters.js';
import { VectorSearch } from './vector-search.js';
import { VectorStore } from './vector-store.js';

/** An index that all processes search, and the state at which it was written. */
export interface StoredIndex {
  /** The generation of its slice. */
  readonly id: string;
  readonly revision: string;
  readonly generation: number;
  /** The model of its vectors; null if it has none. */
  readonly model: string | null;
  readonly stats: IndexStats;
}

/** Without a sufficient memory, bitmaps of matches would be inexact. */
const SETTINGS = `
  set local work_mem = '64MB';
  set local jit = off;
  set local enable_seqscan = off;
  set local statement_timeout = ${MAX_STATEMENT_MS}`;

const STORED = `
  select slice_id as id, index.id as "indexId", revision, generation::float8 as generation, index.documents::float8 as documents,
    total_length as "totalLength", typical_length as "typicalLength"`;

const SEARCHED = `
  select id, index.documents::float8 as documents, generation::float8 as generation`;

const WITHOUT_VECTORS = `from catalog_search_index as index where searched`;

const WITH_VECTORS = `from catalog_search_index as index
  left join catalog_search_vector_index as vectors on vectors.index_id = index.id where searched`;

/** An index is rebuilt when the average length of its documents has risen or fallen by this factor. */
const MAX_DRIFT = 2;
const MIN_DOCUMENTS_OF_DRIFT = 1_000;

interface StoredRow {
  id: string;
  indexId: string;
  revision: string;
  model: string | null;
  generation: number;
  documents: number;
  totalLength: number;
  typicalLength: number;
}

/** The index of a slice, as read by a search. */
interface SearchedIndex {
  id: string;
  documents: number;
  generation: number;
  /** The length of its vectors; null without vectors. */
  dimensions: number | null;
  floor: number | null;
}

/** The state of a slice's index as known to each process. */
interface SliceContext {
  readonly settings: IndexSettings;
  readonly tokenizer: Tokenizer;
  readonly synonyms: SynonymMap;
}

/**
 * A search engine whose indexes are tables, for catalogs that outgrow the memory of a process (docs/adr/0029). It searches
 * by vectors if the server has pgvector.
 */
export class PostgresSearchEngine implements SearchEngine {
  private readonly writer: IndexWriter;
  private readonly vectors: VectorStore;
  private readonly slices = new Map<string, SliceContext>();
  private synonyms: readonly Synonym[] = [];
  /** The index of each slice when last listed; changes are counted from its generation. */
  private listed: ReadonlyMap<string, string> = new Map();
  /** The keys of the last searched index, by slice. */
  private readonly keys = new Map<string, { indexId: string; keys: FieldKeys }>();

  constructor(
    private readonly database: Database,
    clock: Clock,
  ) {
    this.vectors = new VectorStore(database);
    this.writer = new IndexWriter(database, clock, this.vectors);
  }

  /** Whether indexes have the vectors of documents; known after the first list of them. */
  get hasVectors(): boolean {
    return this.vectors.exists;
  }

  /** The indexes that can be searched. Must be called first. */
  async listStored(): Promise<StoredIndex[]> {
    await this.vectors.find();
    const rows = await this.storedRows();
    this.listed = new Map(rows.map(({ id, indexId }) => [id, indexId]));
    return rows.map((row) => ({ ...row, stats: statsOf(row) }));
  }

  /** Whether this process writes the indexes. */
  async lead(): Promise<boolean> {
    return this.writer.lead();
  }

  /** Must be called before an index is searched or changed. */
  configure(settings: IndexSettings): void {
    if (this.slices.has(settings.id)) return;
    const tokenizer = new Tokenizer(settings.locale);
    const synonyms = new SynonymMap(tokenizer);
    synonyms.replace(this.synonymsOf(settings.locale));
    this.slices.set(settings.id, { settings, tokenizer, synonyms });
    this.writer.configure(settings);
  }

  /** All counts of a response come from one snapshot. A search that takes too long is rejected with 503. */
  async search(sliceId: string, request: SearchRequest): Promise<SearchResult> {
    return this.database.snapshot(async () => {
      const statements = new SearchStatements(this.database);
      await statements.write({ text: SETTINGS });
      const slice = this.slices.get(sliceId);
      const [index] = await statements.query<SearchedIndex>(this.searchedSql(), [sliceId]);
      if (!slice || !index) throw new Error(`The slice ${sliceId} has no index`);
      const { query: text, filters, position } = request;
      const isSortedByField = request.sort !== 'relevance';
      const matchesAll = !/[\p{L}\p{N}]/u.test(text);
      const { tokenizer, synonyms } = slice;
      const context = { indexId: index.id, documents: index.documents, tokenizer, synonyms };
      const given: ParsedQuery = matchesAll ? [] : (position?.query ?? (await parseQuery(statements, context, text)));
      const all = await weighTerms(statements, context, given);
      // The cursor contains these terms, so that later pages evaluate the same ones.
      const parsed = evaluatedTerms(given, all, request.sort);
      const keys = this.keysOf(sliceId, index.id, slice.settings);
      const vectors = matchesAll ? null : this.vectorSearch(statements, request, { index, keys });
      const isByKeywords = request.mode !== 'semantic' || vectors === null;
      const weighed = isByKeywords ? all.filter((_, index) => parsed.includes(given[index] ?? [])) : [];
      const terms = matchesAll ? null : weighed;
      const near = await vectors?.nearest(filters);
      const any: Matching = {
        indexId: index.id,
        keys,
        filters,
        terms,
        minMatchedTerms: position?.minMatchedTerms ?? 0,
        vectors,
        nearIds: near?.ids ?? [],
      };
      const matching =
        position || matchesAll || !isSortedByField
          ? any
          : { ...any, minMatchedTerms: await mostMatchedTerms(statements, any) };

      const total = await totalOf(statements, matching, index.documents);
      const pages = new ResultPages(statements, { request, matching, tokenizer, total, documents: index.documents });
      const page = await pages.read();
      const startedAt = position?.startedAt ?? request.now;
      const { minMatchedTerms } = matching;
      const minSimilarity = near?.minSimilarity ?? null;
      return {
        // A query without words embeds nothing, and the response repeats the requested mode.
        mode: matchesAll || vectors ? request.mode : 'keyword',
        total,
        hits: page.hits,
        facets: await countFacets(statements, request.facets, matching),
        generation: index.generation,
        next: page.end && { query: parsed, minMatchedTerms, minSimilarity, startedAt, ...page.end },
      };
    });
  }

  async apply(sliceId: string, generation: number, changes: readonly IndexedDocument[]): Promise<IndexStats> {
    await this.writer.apply({ sliceId, indexId: this.listed.get(sliceId) ?? '' }, generation, changes);
    return this.statsOf(sliceId);
  }

  async rebuild(
    settings: IndexSettings,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<IndexStats> {
    this.slices.delete(settings.id);
    this.configure(settings);
    await this.writer.rebuild(settings, generation, pages);
    return this.statsOf(settings.id);
  }

  setSynonyms(synonyms: readonly Synonym[]): Promise<void> {
    this.synonyms = synonyms;
    for (const slice of this.slices.values()) slice.synonyms.replace(this.synonymsOf(slice.settings.locale));
    return Promise.resolve();
  }

  /** Updates the documents in which a departure has since begun. */
  async refreshExpired(): Promise<void> {
    await this.writer.refreshExpired();
  }

  async stop(): Promise<void> {
    await this.writer.release();
  }

  private searchedSql(): string {
    return this.hasVectors
      ? `${SEARCHED}, dimensions, floor ${WITH_VECTORS} and slice_id = $1`
      : `${SEARCHED}, null as dimensions, null as floor ${WITHOUT_VECTORS} and slice_id = $1`;
  }

  /** Returns null if the search uses keywords, or the index has no vectors. */
  private vectorSearch(
    statements: SearchStatements,
    request: SearchRequest,
    { index, keys }: { index: SearchedIndex; keys: FieldKeys },
  ): VectorSearch | null {
    const { mode, vector, sort, position } = request;
    const { id: indexId, documents, dimensions, floor } = index;
    if (mode === 'keyword' || vector === null || vector.length !== dimensions || floor === null) return null;
    const isSortedByField = sort !== 'relevance';
    const minSimilarity = position ? position.minSimilarity : undefined;
    const query = { indexId, keys, vector, mode, floor, documents, isSortedByField, minSimilarity };
    return new VectorSearch(statements, query);
  }

  private async storedRows(): Promise<StoredRow[]> {
    const text = this.hasVectors
      ? `${STORED}, vectors.model ${WITH_VECTORS}`
      : `${STORED}, null as model ${WITHOUT_VECTORS}`;
    return this.database.prepared<StoredRow>('catalog-stored-indexes', text, []);
  }

  private async statsOf(sliceId: string): Promise<IndexStats> {
    const stored = (await this.storedRows()).find(({ id }) => id === sliceId);
    return stored ? statsOf(stored) : { documents: 0, bytes: 0, garbage: 0 };
  }

  private keysOf(sliceId: string, indexId: string, { schema }: IndexSettings): FieldKeys {
    const known = this.keys.get(sliceId);
    if (known?.indexId === indexId) return known.keys;
    const keys = new FieldKeys(indexId, schema);
    this.keys.set(sliceId, { indexId, keys });
    return keys;
  }

  private synonymsOf(locale: string): Synonym[] {
    const [language] = locale.toLowerCase().split('-');
    return this.synonyms.filter((synonym) => synonym.language === language);
  }
}

async function totalOf(statements: SearchStatements, matching: Matching, documents: number): Promise<number> {
  if (matching.terms === null && matching.filters.length === 0) return documents;
  const parameters = new SqlParameters();
  const text = `select count(*)::float8 as total from catalog_search_document as d where ${matchSql(matching, parameters)}`;
  const [row] = await statements.query<{ total: number }>(text, parameters.values);
  return row?.total ?? 0;
}

function statsOf(row: StoredRow): IndexStats {
  return { documents: row.documents, bytes: 0, garbage: hasDrifted(row) ? 1 : 0 };
}

function hasDrifted({ documents, totalLength, typicalLength }: StoredRow): boolean {
  if (documents < MIN_DOCUMENTS_OF_DRIFT) return false;
  const ratio = totalLength / documents / typicalLength;
  return ratio > MAX_DRIFT || ratio < 1 / MAX_DRIFT;
}
