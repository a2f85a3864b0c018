import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../../../platform/keys/signing-keys.js';
import { Clock } from '../../../platform/clock/clock.js';
import { invalidField, invalidRequest, unavailable } from '../../../platform/errors/app-error.js';
import type { FacetQuery, SearchRequest, SearchResult } from '../../../search-engine/index.js';
import { addressKey } from '../../../platform/context/client-address.js';
import { EmbeddingsService } from '../embeddings/embeddings.service.js';
import { CatalogIndexService, type IndexedSlice } from '../indexing/catalog-index.service.js';
import { canonicalLocale } from '../slices/locale.js';
import { SlicesService } from '../slices/slices.service.js';
import { fieldName, isVertical, SCHEMAS, unknownVertical, type Vertical } from '../slices/verticals.js';
import { readCursor, signCursor } from './search-cursor.js';
import { parseFilters } from './search-filters.js';
import type { CatalogSearchRequest, CatalogSearchResponse, FacetRequest } from './search.dto.js';
import { cardOf } from './storefront-card.js';

const DEFAULT_PAGE_SIZE = 20;
const DEFAULT_FACET_SIZE = 100;

/** The slice that a search reads, and the market and locale that the response names. */
interface SelectedSlice {
  readonly indexed: IndexedSlice | null;
  readonly market: string;
  readonly locale: string;
}

/** The public search of the catalog. */
@Injectable()
export class SearchService {
  constructor(
    private readonly slices: SlicesService,
    private readonly index: CatalogIndexService,
    private readonly embeddings: EmbeddingsService,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  /** Rejects searches while the index is loading, and for an address with too many searches in PostgreSQL. */
  async search(
    body: CatalogSearchRequest,
    { address, disconnected }: { address: string | undefined; disconnected: AbortSignal },
  ): Promise<CatalogSearchResponse> {
    const now = this.clock.now().getTime();
    const { vertical, mode: requestedMode = 'hybrid', sort = 'relevance', pagination = {} } = body;
    if (!isVertical(vertical)) throw unknownVertical(vertical);
    const { filters, warnings } = parseFilters(vertical, body.filters ?? []);
    const facets = facetsOf(vertical, body.facets ?? []);
    const query = (body.query ?? '').normalize('NFC').replace(/\p{Cc}/gu, ' ');
    if (!this.index.ready) throw unavailable('The catalog is still loading');

    const { indexed, market, locale } = this.selectSlice(vertical, body);
    // A cursor is valid only for a request with the same members. Page size, facets and projection may change.
    const identity = [vertical, query, requestedMode, sort, filters, market, locale];
    const { cursor: token } = pagination;
    const cursor = token === undefined ? null : await readCursor(this.keys, identity, token);
    if (!indexed) return { vertical, ...noResults(requestedMode, facets), warnings, market, locale };

    const { slice } = indexed;
    if (cursor) await this.index.catchUp(slice.id, cursor.generation);
    const mode = cursor?.mode ?? requestedMode;
    const needsVector = mode !== 'keyword' && /[\p{L}\p{N}]/u.test(query);
    const request: SearchRequest = {
      query,
      mode,
      sort,
      filters,
      facets,
      limit: pagination.limit ?? DEFAULT_PAGE_SIZE,
      vector: needsVector ? await this.embeddings.embedQuery(query, slice, disconnected) : null,
      now,
      position: cursor?.position ?? null,
    };
    const result = await this.index.search(slice.id, request, addressKey(address));
    const { generation, next: position } = result;
    const next = position && (await signCursor(this.keys, identity, { mode: result.mode, generation, position }));
    const asCards = body.projection === 'storefront-card';
    return { vertical, ...toResponse(result, asCards), warnings, next_cursor: next, market, locale };
  }

  /** Selects the market first, then the nearest language in which there are documents to find. */
  private selectSlice(vertical: Vertical, requested: { market?: string; locale?: string }): SelectedSlice {
    const { defaultMarket } = this.slices;
    const market = (requested.market === undefined ? null : this.slices.findMarket(requested.market)) ?? defaultMarket;
    const locale = (requested.locale === undefined ? null : canonicalLocale(requested.locale)) ?? market.locale;
    // A slice whose documents are all deleted or drafts must not hide another language.
    const candidates = this.index
      .list()
      .filter(({ slice, stats }) => slice.vertical === vertical && slice.market === market.code && stats.documents > 0);
    const withLocale = (wanted: string) => candidates.find(({ slice }) => slice.locale === wanted);
    const indexed =
      withLocale(locale) ??
      withLanguageOf(locale, candidates) ??
      withLocale(market.locale) ??
      withLocale(defaultMarket.locale) ??
      null;
    return { indexed, market: market.code, locale: indexed?.slice.locale ?? locale };
  }
}

/** Prefers the locale without a region, then the first in alphabetical order. */
function withLanguageOf(locale: string, candidates: readonly IndexedSlice[]): IndexedSlice | undefined {
  const language = locale.split('-')[0];
  const same = candidates.filter(({ slice }) => slice.locale.split('-')[0] === language);
  const rank = ({ slice }: IndexedSlice) => (slice.locale === language ? '' : slice.locale);
  return same.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

function facetsOf(vertical: Vertical, requested: readonly FacetRequest[]): FacetQuery[] {
  const names = requested.map(({ field }) => fieldName(field));
  return requested.map(({ field: requestedAs, limit = DEFAULT_FACET_SIZE }, index) => {
    const [path, name] = [`facets.${index}.field`, fieldName(requestedAs)];
    const field = SCHEMAS[vertical].get(name);
    if (!field?.facetable) throw invalidField(path, `${path} must be a facetable field`, 'not_facetable');
    if (names.indexOf(name) !== index) {
      throw invalidRequest([{ path, message: `${path} is a duplicate`, code: 'duplicate' }]);
    }
    return { requestedAs, field: name, limit, isNumber: field.type === 'integer' || field.type === 'number' };
  });
}

function toResponse({ mode, total, hits, facets }: SearchResult, asCards: boolean) {
  return {
    mode,
    total,
    hits: hits.map(({ id, score, fields }) => ({ id, score, document: { id, fields: asCards ? {} : fields } })),
    cards: asCards ? hits.map(({ id, fields }) => cardOf(id, fields)) : [],
    facets: Object.fromEntries(facets.map(({ requestedAs, counts }) => [requestedAs, counts])),
    totalRelation: 'eq' as const,
    facetStats: Object.fromEntries(
      facets.flatMap(({ requestedAs, stats }) => (stats ? [[requestedAs, stats] as const] : [])),
    ),
  };
}

function noResults(mode: SearchResult['mode'], facets: readonly FacetQuery[]) {
  const empty = { mode, total: 0, hits: [], generation: 0, next: null };
  return {
    ...toResponse({ ...empty, facets: facets.map((facet) => ({ ...facet, counts: [], stats: null })) }, false),
    next_cursor: null,
  };
}
