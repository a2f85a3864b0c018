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
import { parseQuery, weighTerms } from './search-words.js';
import { SqlParameters } from './sql-parameters.js';

/** An index that all processes search, and the state that it was written at. */
export interface StoredIndex {
  /** That of its slice. */
  readonly id: string;
  readonly revision: string;
  readonly generation: number;
  readonly stats: IndexStats;
}

/** Without a sufficient memory, bitmaps of matches would be inexact. */
const SETTINGS = `
  set local work_mem = '64MB';
  set local jit = off;
  set local enable_seqscan = off`;

const STORED = `
  select slice_id as id, id as "indexId", revision, generation::float8 as generation, documents::float8 as documents,
    total_length as "totalLength", typical_length as "typicalLength"
  from catalog_search_index where searched`;

const SEARCHED = `
  select id, documents::float8 as documents, generation::float8 as generation
  from catalog_search_index where slice_id = $1 and searched`;

/** An index is rebuilt when the average length of its documents is this many times as high or low as it was. */
const MAX_DRIFT = 2;
const MIN_DOCUMENTS_OF_DRIFT = 1_000;

interface StoredRow {
  id: string;
  indexId: string;
  revision: string;
  generation: number;
  documents: number;
  totalLength: number;
  typicalLength: number;
}

/** What each process knows of the index of a slice. */
interface SliceContext {
  readonly settings: IndexSettings;
  readonly tokenizer: Tokenizer;
  readonly synonyms: SynonymMap;
}

/**
 * A search engine whose indexes are tables, for catalogs that outgrow the memory of a process (docs/adr/0029). It searches
 * by keywords only.
 */
export class PostgresSearchEngine implements SearchEngine {
  private readonly writer: IndexWriter;
  private readonly slices = new Map<string, SliceContext>();
  private synonyms: readonly Synonym[] = [];
  /** The index of each slice when they were listed last: changes are those since its generation. */
  private listed: ReadonlyMap<string, string> = new Map();
  /** The keys of the index that was searched last, by slice. */
  private readonly keys = new Map<string, { indexId: string; keys: FieldKeys }>();

  constructor(
    private readonly database: Database,
    clock: Clock,
  ) {
    this.writer = new IndexWriter(database, clock);
  }

  /** The indexes that can be searched. */
  async listStored(): Promise<StoredIndex[]> {
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

  /** All counts of an answer are those of one snapshot. */
  async search(sliceId: string, request: SearchRequest): Promise<SearchResult> {
    return this.database.snapshot(async () => {
      await this.database.write({ text: SETTINGS });
      const slice = this.slices.get(sliceId);
      const [index] = await this.database.query<{ id: string; documents: number; generation: number }>(SEARCHED, [
        sliceId,
      ]);
      if (!slice || !index) throw new Error(`The slice ${sliceId} has no index`);
      const { query: text, sort, filters, position } = request;
      const matchesAll = !/[\p{L}\p{N}]/u.test(text);
      const { tokenizer, synonyms } = slice;
      const context = { indexId: index.id, documents: index.documents, tokenizer, synonyms };
      const parsed: ParsedQuery = matchesAll
        ? []
        : (position?.query ?? (await parseQuery(this.database, context, text)));
      const terms = matchesAll ? null : await weighTerms(this.database, context, parsed);
      const keys = this.keysOf(sliceId, index.id, slice.settings);
      const any: Matching = {
        indexId: index.id,
        keys,
        filters,
        terms,
        minMatchedTerms: position?.minMatchedTerms ?? 0,
      };
      const isSortedByField = sort !== 'relevance';
      const matching =
        position || matchesAll || !isSortedByField
          ? any
          : { ...any, minMatchedTerms: await mostMatchedTerms(this.database, any) };

      const total = await this.total(matching, index.documents);
      const pages = new ResultPages(this.database, { request, matching, tokenizer, total, documents: index.documents });
      const page = await pages.read();
      const startedAt = position?.startedAt ?? request.now;
      const { minMatchedTerms } = matching;
      return {
        // A query without words embeds nothing, and the response repeats the requested mode.
        mode: matchesAll ? request.mode : 'keyword',
        total,
        hits: page.hits,
        facets: await countFacets(this.database, request.facets, matching),
        generation: index.generation,
        next: page.end && { query: parsed, minMatchedTerms, minSimilarity: null, startedAt, ...page.end },
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

  /** Updates the documents in which a departure has begun since. */
  async refreshExpired(): Promise<void> {
    await this.writer.refreshExpired();
  }

  async stop(): Promise<void> {
    await this.writer.release();
  }

  private async total(matching: Matching, documents: number): Promise<number> {
    if (matching.terms === null && matching.filters.length === 0) return documents;
    const parameters = new SqlParameters();
    const text = `select count(*)::float8 as total from catalog_search_document as d where ${matchSql(matching, parameters)}`;
    const [row] = await this.database.query<{ total: number }>(text, parameters.values);
    return row?.total ?? 0;
  }

  private async storedRows(): Promise<StoredRow[]> {
    return this.database.prepared<StoredRow>('catalog-stored-indexes', STORED, []);
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

function statsOf(row: StoredRow): IndexStats {
  return { documents: row.documents, bytes: 0, garbage: hasDrifted(row) ? 1 : 0 };
}

function hasDrifted({ documents, totalLength, typicalLength }: StoredRow): boolean {
  if (documents < MIN_DOCUMENTS_OF_DRIFT) return false;
  const ratio = totalLength / documents / typicalLength;
  return ratio > MAX_DRIFT || ratio < 1 / MAX_DRIFT;
}
