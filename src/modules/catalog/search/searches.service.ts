import { Injectable } from '@nestjs/common';
import { invalidField, invalidRequest, unavailable } from '../../../platform/errors/app-error.js';
import type { FacetQuery, SearchRequest, SearchResult } from '../../../search-engine/index.js';
import { unknownVertical } from '../documents/document-path.js';
import { QueryMeaning } from '../embedding/query-meaning.service.js';
import { fieldName, isVertical, REGISTRY, type Vertical } from '../fields/registry.js';
import { Follower } from '../freshness/follower.service.js';
import { Cursors } from './cursor.service.js';
import { parseFilters } from './filters.js';
import type { CatalogSearchRequest, CatalogSearchResponse, FacetRequest } from './search.dto.js';
import { SliceChoice } from './slice-choice.service.js';
import { cardOf } from './storefront-card.js';

@Injectable()
export class Searches {
  constructor(
    private readonly choice: SliceChoice,
    private readonly follower: Follower,
    private readonly meaning: QueryMeaning,
    private readonly cursors: Cursors,
  ) {}

  /** Throws 400 for whatever cannot be understood, 503 while the catalog is still being read. */
  async search(body: CatalogSearchRequest, now: Date, gone: AbortSignal): Promise<CatalogSearchResponse> {
    const { vertical, mode = 'hybrid', sort = 'relevance', pagination = {} } = body;
    if (!isVertical(vertical)) throw unknownVertical(vertical);
    const filters = parseFilters(vertical, body.filters ?? []);
    const facets = facetsOf(vertical, body.facets ?? []);
    const query = (body.query ?? '').normalize('NFC').replace(/\p{Cc}/gu, ' ');
    if (!this.follower.ready) throw unavailable('The catalog is still loading');

    const { slice, market, locale } = this.choice.of(vertical, body);
    const identity = [vertical, query, mode, sort, filters, market, locale];
    const cursor = pagination.cursor === undefined ? null : await this.cursors.open(identity, pagination.cursor);
    const empty = { vertical, mode, total: 0, hits: [], cards: [], facets: none(facets) };
    if (!slice) return { ...empty, totalRelation: 'eq', facetStats: {}, next_cursor: null, market, locale };

    if (cursor) await this.follower.catchUp(slice.state.id, cursor.generation);
    const effective = cursor?.mode ?? mode;
    const request: SearchRequest = {
      query,
      mode: effective,
      sort,
      filters,
      facets,
      limit: pagination.limit ?? 20,
      vector: effective === 'keyword' || !hasWords(query) ? null : await this.meaning.of(query, slice.state, gone),
      now: now.getTime(),
      position: cursor?.position ?? null,
    };
    const found = await this.follower.search(slice.state.id, request);
    const { generation, next: position } = found;
    const next = position && (await this.cursors.seal(identity, { mode: found.mode, generation, position }));
    const asCards = body.projection === 'storefront-card';
    return { ...answerOf(vertical, found, asCards), next_cursor: next, market, locale };
  }
}

function answerOf(vertical: Vertical, found: SearchResult, asCards: boolean) {
  return {
    vertical,
    mode: found.mode,
    total: found.total,
    hits: found.hits.map(({ id, score, fields }) => ({ id, score, document: { id, fields: asCards ? {} : fields } })),
    cards: asCards ? found.hits.map(({ id, fields }) => cardOf(id, fields)) : [],
    facets: Object.fromEntries(found.facets.map(({ requestedAs, counts }) => [requestedAs, counts])),
    totalRelation: 'eq' as const,
    facetStats: Object.fromEntries(
      found.facets.flatMap(({ requestedAs, stats }) => (stats ? [[requestedAs, stats]] : [])),
    ),
  };
}

function facetsOf(vertical: Vertical, asked: readonly FacetRequest[]): FacetQuery[] {
  const names = asked.map(({ field }) => fieldName(field));
  return asked.map(({ field: given, limit = 100 }, index) => {
    const [path, name] = [`facets.${index}.field`, fieldName(given)];
    const field = REGISTRY[vertical].get(name);
    if (!field?.facetable) throw invalidField(path, `${path} must be a facetable field`, 'isFacetable');
    if (names.indexOf(name) !== index) {
      throw invalidRequest([{ path, message: `${path} is a duplicate`, code: 'arrayUnique' }]);
    }
    return { requestedAs: given, field: name, limit, isNumber: field.type === 'integer' || field.type === 'number' };
  });
}

function none(facets: readonly FacetQuery[]): Record<string, unknown> {
  return Object.fromEntries(facets.map(({ requestedAs }) => [requestedAs, []]));
}

function hasWords(query: string): boolean {
  return /[\p{L}\p{N}]/u.test(query);
}
