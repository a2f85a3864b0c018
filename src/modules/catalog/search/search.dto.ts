import { ListOf, Nested, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Objects, Worded } from '../../../platform/http/trade-fields.js';
import { type Mode, MODES, type Sort, SORTS } from '../engine/search-index.js';
import { canonicalLocale } from '../slices/markets.js';

const PROJECTIONS = ['raw', 'storefront-card'] as const;
type Projection = (typeof PROJECTIONS)[number];

export class FacetRequest {
  /** @example "countries" */
  @Text({ max: 100 })
  field: string;

  /** How many of its values; 100 unless given.
   * @example 10 */
  @Optional()
  @Whole({ min: 1, max: 250 })
  limit?: number;
}

export class PaginationRequest {
  /** How many results; 20 unless given.
   * @example 5 */
  @Optional()
  @Whole({ min: 1, max: 250 })
  limit?: number;

  /** `next_cursor` of the page before. */
  @Optional()
  @Text({ max: 32_768, verbatim: true })
  cursor?: string;
}

export class CatalogSearchRequest {
  /** One of products, cruises, charters, accommodations.
   * @example "products" */
  @Text({ max: 64, verbatim: true })
  vertical: string;

  /** Without a letter or a digit, everything is found.
   * @example "beach holiday with children" */
  @Optional()
  @Text({ min: 0, max: 2_048, verbatim: true })
  query?: string;

  /** By words, by meaning or by both; `hybrid` unless given. The answer says which one it was. */
  @Optional()
  @OneOf(MODES)
  mode?: Mode;

  /** `relevance` unless given. */
  @Optional()
  @OneOf(SORTS)
  sort?: Sort;

  /** What is shown of the results; `raw` unless given.
   * @example "storefront-card" */
  @Optional()
  @OneOf(PROJECTIONS)
  projection?: Projection;

  /** All must be true: `{kind: "eq" | "in" | "range" | "and" | "or" | "not" | "exists" | "geo", ...}` or `{field: value}`.
   * @example [{"kind": "in", "field": "countries", "values": ["Greece", "Spain", "Italy"]}] */
  @Optional()
  @Objects({ max: 100, maxBytes: 65_536 })
  filters?: Record<string, unknown>[];

  /** Fields of which the values are to be counted over all results. */
  @Optional()
  @ListOf(() => FacetRequest, { max: 20 })
  facets?: FacetRequest[];

  @Optional()
  @Nested(() => PaginationRequest)
  pagination?: PaginationRequest;

  /** The default market unless it is a known one. */
  @Optional()
  @Text({ max: 64 })
  market?: string;

  /** The nearest language that there is.
   * @example "en-GB" */
  @Optional()
  @Worded('isLocale', (tag) => canonicalLocale(tag) !== null, {
    max: 35,
    message: '$property must be a language tag of BCP 47, such as en-GB',
  })
  locale?: string;
}

export class CatalogSearchResponse {
  @Text({ max: 64 })
  vertical: string;

  /** The one that was used: `keyword` where meaning could not be had. */
  @OneOf(MODES)
  mode: Mode;

  /** How many results there are in all. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  total: number;

  /** `{id, score, document: {id, fields}}`; `fields` is empty where cards are asked for. */
  @Objects({ max: 250 })
  hits: Record<string, unknown>[];

  /** One for each hit, where they are asked for. */
  @Objects({ max: 250 })
  cards: Record<string, unknown>[];

  /** Each field that was asked for, with `{value, count}`: the frequent ones first. */
  facets: Record<string, unknown>;

  /** Whether `total` is exact. */
  @OneOf(['eq', 'gte'])
  totalRelation: 'eq' | 'gte';

  /** `{min, max, avg, count}` of each field of numbers that was asked for. */
  facetStats: Record<string, unknown>;

  /** Null on the last page. */
  @Text({ max: 32_768 })
  next_cursor: string | null;

  /** The market that was searched. */
  @Text({ max: 64 })
  market: string;

  /** The language that was searched. */
  @Text({ max: 35 })
  locale: string;
}
