import type { IndexedDocument } from './document-view.js';
import type { FacetCount, FacetStats } from './facets.js';
import type { Filter } from './filters.js';
import type { ParsedQuery } from './query-parser.js';
import type { Schema } from './schema.js';
import type { Synonym } from './synonyms.js';

export const SEARCH_MODES = ['keyword', 'semantic', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];
export const SORTS = ['relevance', 'price-asc', 'price-desc', 'departure-asc', 'newest'] as const;
export type Sort = (typeof SORTS)[number];

/** The end of a page, and the decisions of the first page about which documents match. */
export interface PagePosition {
  readonly query: ParsedQuery;
  /** The number of terms that a document must contain to match by keywords; only with a sort other than relevance. */
  readonly minMatchedTerms: number;
  /** The minimum similarity for a match by vector; null if no document matches by vector. */
  readonly minSimilarity: number | null;
  /** The time of the first page, in milliseconds. */
  readonly startedAt: number;
  /** The sequence numbers of the delivered documents, if sorted by relevance. */
  readonly delivered: readonly number[];
  /** The sort key and the id of the last delivered document, with any other sort. */
  readonly last: { readonly key: readonly number[]; readonly id: string } | null;
}

export interface FacetQuery {
  /** The name that the client used. */
  readonly requestedAs: string;
  readonly field: string;
  readonly limit: number;
  readonly isNumber: boolean;
}

export interface SearchRequest {
  readonly query: string;
  readonly mode: SearchMode;
  readonly sort: Sort;
  readonly filters: readonly Filter[];
  readonly facets: readonly FacetQuery[];
  readonly limit: number;
  /** The unit vector of the query; null if there is none. */
  readonly vector: Float32Array | null;
  readonly now: number;
  /** Null for the first page. */
  readonly position: PagePosition | null;
}

export interface SearchHit {
  readonly id: string;
  readonly score: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SearchResult {
  /** `keyword` if vectors were requested and there are none. */
  readonly mode: SearchMode;
  readonly total: number;
  readonly hits: readonly SearchHit[];
  readonly facets: readonly {
    readonly requestedAs: string;
    readonly counts: readonly FacetCount[];
    /** Null if the field has no numbers. */
    readonly stats: FacetStats | null;
  }[];
  readonly generation: number;
  /** Null on the last page. */
  readonly next: PagePosition | null;
}

export interface IndexSettings {
  readonly id: string;
  readonly schema: Schema;
  readonly locale: string;
  /** Prices in another currency are ignored when results are sorted by price. */
  readonly currency: string;
  /** Changes when an index must be rebuilt; for engines that store their indexes. */
  readonly revision?: string;
  /** The model of the vectors, or null if there is none; for engines that store their indexes. */
  readonly model?: string | null;
}

export interface IndexStats {
  readonly documents: number;
  /** An estimate. */
  readonly bytes: number;
  /** The part of the index that belongs to removed documents, 0..1. */
  readonly garbage: number;
}

/**
 * A set of search indexes, one for each combination of documents that are searched together. The indexes can be lost at
 * any time and are then rebuilt from the database.
 */
export interface SearchEngine {
  /** Throws if the index does not exist. */
  search(indexId: string, request: SearchRequest): Promise<SearchResult>;
  /** Adds, replaces and deletes documents. Idempotent. */
  apply(indexId: string, generation: number, changes: readonly IndexedDocument[]): Promise<IndexStats>;
  /** Builds an index beside the current one and then replaces it, so that a search sees either of them. */
  rebuild(
    settings: IndexSettings,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<IndexStats>;
  /** Replaces the synonyms of all languages. */
  setSynonyms(synonyms: readonly Synonym[]): Promise<void>;
  stop(): Promise<void>;
}
