import { MAX_PATH } from '../../../platform/errors/app-error.js';
import { ListOf, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { Objects } from '../../../platform/http/trade-fields.js';
import { SEARCH_MODES, type SearchMode, type Sort, SORTS } from '../../../search-engine/index.js';
import { LocaleTag } from '../slices/locale.js';

const MODES = named('SearchMode', SEARCH_MODES);
const PROJECTIONS = ['raw', 'storefront-card'] as const;
type Projection = (typeof PROJECTIONS)[number];

/** A field whose values are counted over all results. */
export class FacetRequest {
  /**
   * Name of a facetable field; any other field is rejected with 400.
   * @example "countries"
   */
  @Text({ max: 100 })
  field: string;

  /**
   * Maximum number of values returned; 100 by default.
   * @example 10
   */
  @Optional()
  @Whole({ min: 1, max: 250 })
  limit?: number;
}

/** The page of results to return. */
export class PaginationRequest {
  /**
   * Maximum number of results per page; 20 by default.
   * @example 5
   */
  @Optional()
  @Whole({ min: 1, max: 250 })
  limit?: number;

  /** `next_cursor` of the previous page. All other members of the search must be the same. */
  @Optional()
  @Text({ max: 32_768, verbatim: true })
  cursor?: string;
}

/** A search of one vertical with filters, facets and paging. */
export class CatalogSearchRequest {
  /**
   * Type of product to search: `products`, `cruises`, `charters` or `accommodations`.
   * @example "products"
   */
  @Text({ max: 64, verbatim: true })
  vertical: string;

  /**
   * Search text. Without a letter or digit, all documents match.
   * @example "beach holiday with children"
   */
  @Optional()
  @Text({ min: 0, max: 2_048, verbatim: true })
  query?: string;

  /** Whether words, meaning or both are matched; `hybrid` by default. The response names the mode that was used. */
  @Optional()
  @OneOf(MODES)
  mode?: SearchMode;

  /** Order of the results; `relevance` by default. */
  @Optional()
  @OneOf(SORTS)
  sort?: Sort;

  /**
   * Form of the results: documents (`raw`, the default) or cards.
   * @example "storefront-card"
   */
  @Optional()
  @OneOf(PROJECTIONS)
  projection?: Projection;

  /**
   * Conditions that must all be met: `{kind: "eq" | "in" | "range" | "and" | "or" | "not" | "exists" | "geo", ...}` or
   * `{field: value}`. A condition on a field that is unknown, or that customers cannot filter by, matches no document and
   * is named in `warnings` of the response. At most 100 conditions, five levels deep, of which at most 20 are ranges and areas.
   * @example [{"kind": "in", "field": "countries", "values": ["Greece", "Spain", "Italy"]}]
   */
  @Optional()
  @Objects({ max: 100, maxBytes: 65_536 })
  filters?: Record<string, unknown>[];

  /** Fields whose values are counted over all results; each field at most once. */
  @Optional()
  @ListOf(() => FacetRequest, { max: 20 })
  facets?: FacetRequest[];

  /** Page size and cursor. */
  @Optional()
  @Nested(() => PaginationRequest)
  pagination?: PaginationRequest;

  /** Code of the market. For an unknown market the default market is searched. */
  @Optional()
  @Text({ max: 64 })
  market?: string;

  /**
   * Preferred language as a BCP 47 tag; the nearest available language is searched.
   * @example "en-GB"
   */
  @Optional()
  @LocaleTag()
  locale?: string;
}

/** A filter that matched no document. */
class SearchWarning {
  /**
   * Place of the field in the request.
   * @example "filters.0.field"
   */
  @Text({ max: MAX_PATH })
  path: string;

  /** `unknown_filter`: customers cannot filter by this field, or it does not exist. */
  @OneOf(['unknown_filter'])
  code: 'unknown_filter';
}

/** A page of search results with facets. */
export class CatalogSearchResponse {
  /** The vertical that was searched. */
  @Text({ max: 64 })
  vertical: string;

  /** The mode that was used: `keyword` if semantic search was not available. */
  @OneOf(MODES)
  mode: SearchMode;

  /** The number of results on all pages. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  total: number;

  /**
   * Results as `{id, score, document: {id, fields}}`, best first. With the projection `storefront-card`, `fields` is
   * empty.
   */
  @Objects({ max: 250 })
  hits: Record<string, unknown>[];

  /** One card per hit with the projection `storefront-card`; empty otherwise. */
  @Objects({ max: 250 })
  cards: Record<string, unknown>[];

  /** Values of each requested field as `{value, count}`, most frequent first. */
  facets: Record<string, unknown>;

  /** Whether `total` is exact (`eq`) or a lower bound (`gte`). */
  @OneOf(['eq', 'gte'])
  totalRelation: 'eq' | 'gte';

  /** `{min, max, avg, count}` of each requested numeric field. */
  facetStats: Record<string, unknown>;

  /** Filters that matched no document because of their fields; empty if there are none. */
  @ListOf(() => SearchWarning, { max: 100 })
  warnings: SearchWarning[];

  /** Cursor of the next page; null on the last page. */
  @Text({ max: 32_768 })
  next_cursor: string | null;

  /** The market that was searched. */
  @Text({ max: 64 })
  market: string;

  /** The language that was searched. */
  @Text({ max: 35 })
  locale: string;
}
