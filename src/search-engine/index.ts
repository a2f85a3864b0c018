/**
 * An in-memory search engine: BM25 keyword search with synonyms and spelling correction, vector search, filters, facets and
 * paging. It knows neither Nest nor a database. The application uses `SearchWorker`, which runs it in a worker thread.
 */
export type { Scalar } from './columns.js';
export { sortValuesOf } from './document-store.js';
export { type DocumentView, type IndexedDocument, viewOf } from './document-view.js';
export type { Filter } from './filters.js';
export { MAX_DISTANCE_FROM_BEST, NEAREST_NEIGHBOURS, NOT_EXACT_FACTOR } from './hybrid-ranking.js';
export { countTerms } from './inverted-index.js';
export { MAX_DELIVERED } from './paging.js';
export { plainText } from './plain-text.js';
export { type ParsedQuery, QueryParser } from './query-parser.js';
export { DEFAULT_RANKING } from './ranking-parameters.js';
export { type Field, parseSchema, scalarsOf, type Schema } from './schema.js';
export {
  type FacetQuery,
  type IndexSettings,
  type IndexStats,
  type PagePosition,
  SEARCH_MODES,
  type SearchEngine,
  type SearchMode,
  type SearchRequest,
  type SearchResult,
  type Sort,
  SORTS,
} from './search-api.js';
export { SearchIndex } from './search-index.js';
export { SearchEngineUnavailableError, SearchWorker } from './search-worker.js';
export { Vocabulary } from './spelling.js';
export { type Synonym, SynonymMap } from './synonyms.js';
export { fold, type Token, Tokenizer } from './tokenizer.js';
export { DEFAULT_FLOOR, MAX_FLOOR } from './vector-index.js';
