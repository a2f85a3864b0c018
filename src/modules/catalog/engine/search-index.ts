import { named } from '../../../platform/http/named-values.js';
import type { Scalar } from './columns.js';
import type { Filter } from './filter.js';

export const MODES = named('SearchMode', ['keyword', 'semantic', 'hybrid']);
export type Mode = (typeof MODES)[number];
export const SORTS = ['relevance', 'price-asc', 'price-desc', 'departure-asc', 'newest'] as const;
export type Sort = (typeof SORTS)[number];

/** Ways to say one word of a query: stems that must all be there, and how much they count. */
export interface Wording {
  readonly stems: readonly string[];
  readonly weight: number;
}

/** The words of a query as the slice understood them; each has one or more wordings. */
export type Plan = readonly (readonly Wording[])[];

/** Where a page ended, and what decided on its first page which documents belong to the answer. */
export interface Place {
  readonly plan: Plan;
  /** With a sort other than relevance: how many words a document must have to be found by words. */
  readonly matched: number;
  /** How near a document must be to be found by meaning; null: not at all. */
  readonly nearness: number | null;
  /** The instant of page 1, in milliseconds. */
  readonly at: number;
  /** By relevance: the numbers (`seq`) of what was delivered. */
  readonly delivered: readonly number[];
  /** By another order: the key and the id of the last one that was delivered. */
  readonly last: { readonly key: readonly number[]; readonly id: string } | null;
}

export interface SearchRequest {
  readonly query: string;
  readonly mode: Mode;
  readonly sort: Sort;
  readonly filters: readonly Filter[];
  readonly facets: readonly {
    readonly asked: string;
    readonly field: string;
    readonly limit: number;
    readonly isNumber: boolean;
  }[];
  readonly limit: number;
  readonly cards: boolean;
  /** The query's meaning; null where there is none. */
  readonly vector: Float32Array | null;
  readonly now: number;
  readonly place: Place | null;
}

export interface FacetStats {
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly count: number;
}

export interface SearchResult {
  readonly mode: Mode;
  readonly total: number;
  readonly hits: readonly { readonly id: string; readonly score: number; readonly fields: Record<string, unknown> }[];
  readonly cards: readonly Record<string, unknown>[];
  readonly facets: readonly { readonly asked: string; readonly counts: readonly { value: Scalar; count: number }[] }[];
  readonly facetStats: readonly { readonly asked: string; readonly stats: FacetStats }[];
  readonly generation: number;
  /** Null on the last page. */
  readonly next: Place | null;
}

/** A document as it comes from the database. */
export interface IndexedDocument {
  readonly seq: number;
  readonly id: string;
  /** JSON. */
  readonly fields: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
  /** Little-endian float32; null: it has none yet. */
  readonly vector: Uint8Array | null;
}

/** What an index must know of a slice beside its documents. */
export interface SliceTraits {
  readonly id: string;
  readonly vertical: string;
  readonly locale: string;
  readonly currency: string;
}

export interface SliceFigures {
  readonly documents: number;
  readonly bytes: number;
  /** How much of it is the remains of what was replaced, 0..1. */
  readonly waste: number;
}

/** Alternatives to a word of the query: it is found by what they say too. */
export interface Synonym {
  readonly language: string;
  /** Null: the terms mean the same. */
  readonly input: string | null;
  readonly terms: readonly string[];
}

/** What a search needs of an index; every adapter is held to one suite (slice-index.spec, meaning.spec). */
export abstract class SearchIndex {
  /** Throws where the slice is not there. */
  abstract search(sliceId: string, request: SearchRequest): Promise<SearchResult>;
  /** Repeating it changes nothing. */
  abstract apply(sliceId: string, generation: number, changes: readonly IndexedDocument[]): Promise<SliceFigures>;
  /** Built aside from the pages, then swapped in: a search sees the old one or the new one. */
  abstract rebuild(
    slice: SliceTraits,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<SliceFigures>;
}
