import { Bm25 } from './bm25.js';
import { DocumentStore } from './document-store.js';
import { type DocumentView, type IndexedDocument, viewOf } from './document-view.js';
import { countFacet, facetStats } from './facets.js';
import {
  type Matches,
  matchesOf,
  mostMatchedTerms,
  type PreparedQuery,
  rank,
  type RankedIndex,
} from './hybrid-ranking.js';
import { countTerms, type DocumentTerms, InvertedIndex } from './inverted-index.js';
import { pageOf } from './paging.js';
import { type ParsedQuery, QueryParser } from './query-parser.js';
import { DEFAULT_RANKING, type RankingParameters } from './ranking-parameters.js';
import { scalarsOf, type Schema } from './schema.js';
import type { IndexSettings, IndexStats, SearchRequest, SearchResult } from './search-api.js';
import { Vocabulary } from './spelling.js';
import { type Synonym, SynonymMap } from './synonyms.js';
import { Tokenizer } from './tokenizer.js';
import { VectorIndex } from './vector-index.js';

const NO_SCORES = new Float64Array(0);
/** Below this number of documents a rebuild is never worthwhile, however many of them were removed. */
const MIN_GARBAGE_COLLECTED = 1_000;

/** One search index in memory, for documents of one language with one schema. */
export class SearchIndex {
  generation = 0;
  private readonly schema: Schema;
  private readonly tokenizer: Tokenizer;
  private readonly documents: DocumentStore;
  private readonly terms = new InvertedIndex();
  private readonly vocabulary = new Vocabulary();
  private readonly vectors = new VectorIndex();
  private readonly synonyms: SynonymMap;
  private readonly parser: QueryParser;
  private readonly bm25: Bm25;
  private readonly ranked: RankedIndex;
  /** The ids of the documents with each name, as the words of the name. */
  private readonly idsByName = new Map<string, Set<string>>();
  /** The stored form of each document whose view expires. */
  private readonly expiring = new Map<string, IndexedDocument>();
  private nextExpiry = Infinity;

  constructor({ locale, schema, currency }: IndexSettings, parameters: RankingParameters = DEFAULT_RANKING) {
    this.schema = schema;
    this.tokenizer = new Tokenizer(locale);
    this.documents = new DocumentStore(schema, currency);
    this.synonyms = new SynonymMap(this.tokenizer);
    this.parser = new QueryParser(this.tokenizer, this.vocabulary, this.terms, this.synonyms, parameters.alternatives);
    this.bm25 = new Bm25(this.terms, parameters);
    const termsOf = (ordinal: number) => {
      const view = this.documents.at(ordinal);
      if (!view) throw new Error(`No document has the ordinal ${ordinal}`);
      return this.termsOf(view);
    };
    this.ranked = { documents: this.documents, vectors: this.vectors, bm25: this.bm25, parameters, termsOf };
  }

  setSynonyms(synonyms: readonly Synonym[]): void {
    this.synonyms.replace(synonyms);
  }

  /** Adds, replaces and deletes documents. Idempotent. */
  apply(generation: number, changes: readonly IndexedDocument[], now: number): void {
    for (const change of changes) {
      this.remove(change.id);
      const view = viewOf(change, this.schema, now);
      if (view) this.add(view, change);
    }
    this.generation = Math.max(this.generation, generation);
  }

  stats(): IndexStats {
    const { size, liveCount } = this.documents;
    const bytes = this.documents.bytes + this.terms.bytes + this.vocabulary.bytes + this.vectors.bytes;
    return { documents: liveCount, bytes, garbage: size > MIN_GARBAGE_COLLECTED ? 1 - liveCount / size : 0 };
  }

  search(request: SearchRequest): SearchResult {
    this.refreshExpired(request.now);
    const { parsed, query } = this.prepare(request);
    const matches = matchesOf(query, this.ranked);
    const { ordinals, minSimilarity } = matches;
    const scores = query.matchesAll ? NO_SCORES : rank(matches, query, this.ranked);
    const startedAt = request.position?.startedAt ?? request.now;
    const { matchesAll, minMatchedTerms } = query;
    const page = pageOf({ request, ordinals, scores, documents: this.documents, matchesAll, startedAt });
    return {
      mode: query.mode,
      total: ordinals.length,
      hits: page.documents.map(({ view: { id, fields }, score }) => ({ id, score, fields })),
      facets: this.facets(request, query, matches),
      generation: this.generation,
      next: page.end && { query: parsed, minMatchedTerms, minSimilarity, startedAt, ...page.end },
    };
  }

  private prepare(request: SearchRequest): { parsed: ParsedQuery; query: PreparedQuery } {
    const { query: text, vector, position, sort, filters } = request;
    const matchesAll = !/[\p{L}\p{N}]/u.test(text);
    const isByVector = request.mode !== 'keyword' && !matchesAll;
    const vectorQuery = isByVector && vector !== null ? this.vectors.query(vector) : null;
    const mode = isByVector && vectorQuery === null ? 'keyword' : request.mode;
    const parsed = matchesAll ? [] : (position?.query ?? this.parser.parse(text));
    const byKeywords = !matchesAll && mode !== 'semantic';
    const query: PreparedQuery = {
      mode,
      filters,
      isSortedByField: sort !== 'relevance',
      matchesAll,
      termCount: parsed.length,
      termWeight: parsed.reduce((sum, terms) => sum + Math.max(...terms.map(({ weight }) => weight)), 0),
      keywords: byKeywords ? this.bm25.score(parsed, this.documents.size) : null,
      vector: vectorQuery,
      exactNames: this.ordinalsWithName(text),
      minMatchedTerms: position?.minMatchedTerms ?? 0,
      minSimilarity: position ? (position.minSimilarity ?? Infinity) : null,
    };
    if (position || !byKeywords || !query.isSortedByField) return { parsed, query };
    return { parsed, query: { ...query, minMatchedTerms: mostMatchedTerms(query, this.documents) } };
  }

  /** A facet ignores filters on its own field (multi-select): with Greece selected, Italy keeps its count. */
  private facets({ facets, filters }: SearchRequest, query: PreparedQuery, matches: Matches): SearchResult['facets'] {
    return facets.map(({ requestedAs, field, limit, isNumber }) => {
      const others = filters.filter((filter) => !(filter.kind === 'values' && filter.field === field));
      const isSelected = others.length < filters.length;
      const { ordinals } = isSelected ? matchesOf({ ...query, filters: others }, this.ranked) : matches;
      const column = this.documents.column(field);
      const counts = column ? countFacet(column, ordinals) : [];
      return { requestedAs, counts: counts.slice(0, limit), stats: isNumber ? facetStats(counts) : null };
    });
  }

  /** Recomputes the views in which a departure has begun since then. */
  private refreshExpired(now: number): void {
    if (now < this.nextExpiry) return;
    const expired = this.documents.all().filter(({ expiresAt }) => expiresAt <= now);
    this.nextExpiry = Infinity;
    this.apply(
      this.generation,
      expired.flatMap(({ id }) => this.expiring.get(id) ?? []),
      now,
    );
    this.nextExpiry = this.documents.all().reduce((least, { expiresAt }) => Math.min(least, expiresAt), Infinity);
  }

  private add(view: DocumentView, source: IndexedDocument): void {
    const ordinal = this.documents.add(view);
    const terms = this.termsOf(view);
    this.terms.add(ordinal, terms);
    for (const surface of terms.surfaces) this.vocabulary.add(surface);
    const name = this.nameOf(view);
    this.idsByName.set(name, (this.idsByName.get(name) ?? new Set()).add(view.id));
    if (source.vector) this.vectors.set(ordinal, new Float32Array(source.vector.slice().buffer));
    if (view.expiresAt < Infinity) this.expiring.set(view.id, source);
    this.nextExpiry = Math.min(this.nextExpiry, view.expiresAt);
  }

  private remove(id: string): void {
    const removed = this.documents.remove(id);
    if (!removed) return;
    const terms = this.termsOf(removed.view);
    this.terms.remove(removed.ordinal, terms);
    for (const surface of terms.surfaces) this.vocabulary.remove(surface);
    this.expiring.delete(id);
    const name = this.nameOf(removed.view);
    this.idsByName.get(name)?.delete(id);
    if (this.idsByName.get(name)?.size === 0) this.idsByName.delete(name);
  }

  private termsOf({ fields }: DocumentView): DocumentTerms {
    const searched = [...this.schema].flatMap(([name, field]) => {
      const { weight } = field;
      if (weight === 0 || fields[name] === undefined) return [];
      return scalarsOf(field, fields[name]).map((text) => ({ tokens: this.tokenizer.tokenize(String(text)), weight }));
    });
    return countTerms(searched);
  }

  private nameOf({ fields }: DocumentView): string {
    return this.words(String(fields['name']));
  }

  private words(text: string): string {
    return this.tokenizer
      .tokenize(text)
      .map(({ surface }) => surface)
      .join(' ');
  }

  private ordinalsWithName(query: string): ReadonlySet<number> {
    const ids = this.idsByName.get(this.words(query)) ?? [];
    return new Set([...ids].flatMap((id) => this.documents.ordinalOf(id) ?? []));
  }
}
