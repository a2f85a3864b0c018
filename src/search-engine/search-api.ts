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
  /** With a sort other than relevance: the number of terms that a document must contain to match by keywords. */
  readonly minMatchedTerms: number;
  /** The similarity that a document must have to match by its vector; null: no document does. */
  readonly minSimilarity: number | null;
  /** The time of the first page, in milliseconds. */
  readonly startedAt: number;
  /** By relevance: the sequence numbers of the delivered documents. */
  readonly delivered: readonly number[];
  /** By another sort: the sort key and the id of the last delivered document. */
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
  /** `keyword` if vectors were asked for and there are none. */
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
  /** For engines that store their indexes: changes when an index must be built again. */
  readonly revision?: string;
  /** For engines that store their indexes: the model of the vectors; null if there is none. */
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
  /** Builds an index beside the present one and then replaces it, so that a search sees either of them. */
  rebuild(
    settings: IndexSettings,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<IndexStats>;
  /** Replaces the synonyms of all languages. */
  setSynonyms(synonyms: readonly Synonym[]): Promise<void>;
  stop(): Promise<void>;
}
