/**
 * An in-memory search engine: BM25 keyword search with synonyms and spelling correction, vector search, filters, facets and
 * paging. It knows neither Nest nor a database. The application uses `SearchWorker`, which runs it in a worker thread.
 */
export type { Scalar } from './columns.js';
export type { IndexedDocument } from './document-view.js';
export type { Filter } from './filters.js';
export { plainText } from './plain-text.js';
export { DEFAULT_RANKING } from './ranking-parameters.js';
export { type Field, parseSchema, type Schema } from './schema.js';
export {
  type FacetQuery,
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
export type { Synonym } from './synonyms.js';
export { fold } from './tokenizer.js';
