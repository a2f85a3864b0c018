import type {
  IndexedDocument,
  SearchRequest,
  SearchResult,
  SliceFigures,
  SliceTraits,
  Synonym,
} from './search-index.js';

/** What is asked of the thread that searches. */
export type IndexQuestion =
  | { kind: 'search'; sliceId: string; request: SearchRequest }
  | {
      kind: 'apply';
      sliceId: string;
      draft: boolean;
      generation: number;
      documents: readonly IndexedDocument[];
      now: number;
    }
  | { kind: 'draft'; slice: SliceTraits }
  | { kind: 'swap'; sliceId: string }
  | { kind: 'learn'; synonyms: readonly Synonym[] };

export type IndexCall = IndexQuestion & { number: number };

export interface IndexAnswer {
  readonly number: number;
  readonly found?: SearchResult;
  readonly figures?: SliceFigures;
  readonly error?: string;
}
