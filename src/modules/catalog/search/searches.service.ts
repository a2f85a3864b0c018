import { Injectable } from '@nestjs/common';
import { invalidField, invalidRequest, unavailable } from '../../../platform/errors/app-error.js';
import { unknownVertical } from '../documents/document-path.js';
import { QueryMeaning } from '../embedding/query-meaning.service.js';
import { MemoryIndex } from '../engine/memory-index.js';
import type { SearchRequest, SearchResult } from '../engine/search-index.js';
import { fieldName, isVertical, REGISTRY, type Vertical } from '../fields/registry.js';
import { Follower } from '../freshness/follower.service.js';
import { Cursors } from './cursor.service.js';
import { parseFilters } from './filters.js';
import type { CatalogSearchRequest, CatalogSearchResponse, FacetRequest } from './search.dto.js';
import { SliceChoice } from './slice-choice.service.js';

@Injectable()
export class Searches {
  constructor(
    private readonly choice: SliceChoice,
    private readonly follower: Follower,
    private readonly index: MemoryIndex,
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
      cards: body.projection === 'storefront-card',
      vector: effective === 'keyword' || !hasWords(query) ? null : await this.meaning.of(query, slice.state, gone),
      now: now.getTime(),
      place: cursor?.place ?? null,
    };
    const found = await this.index.search(slice.state.id, request);
    const { generation, next: place } = found;
    const next = place && (await this.cursors.seal(identity, { mode: found.mode, generation, place }));
    return { ...answerOf(vertical, found), next_cursor: next, market, locale };
  }
}

function answerOf(vertical: Vertical, found: SearchResult) {
  return {
    vertical,
    mode: found.mode,
    total: found.total,
    hits: found.hits.map(({ id, score, fields }) => ({ id, score, document: { id, fields } })),
    cards: [...found.cards],
    facets: Object.fromEntries(found.facets.map(({ asked, counts }) => [asked, counts])),
    totalRelation: 'eq' as const,
    facetStats: Object.fromEntries(found.facetStats.map(({ asked, stats }) => [asked, stats])),
  };
}

function facetsOf(vertical: Vertical, asked: readonly FacetRequest[]): SearchRequest['facets'] {
  const names = asked.map(({ field }) => fieldName(field));
  return asked.map(({ field: given, limit = 100 }, index) => {
    const [path, name] = [`facets.${index}.field`, fieldName(given)];
    const field = REGISTRY[vertical].get(name);
    if (!field?.facetable) throw invalidField(path, `${path} must be a facetable field`, 'isFacetable');
    if (names.indexOf(name) !== index) {
      throw invalidRequest([{ path, message: `${path} is a duplicate`, code: 'arrayUnique' }]);
    }
    return { asked: given, field: name, limit, isNumber: field.type === 'integer' || field.type === 'number' };
  });
}

function none(facets: SearchRequest['facets']): Record<string, unknown> {
  return Object.fromEntries(facets.map(({ asked }) => [asked, []]));
}

function hasWords(query: string): boolean {
  return /[\p{L}\p{N}]/u.test(query);
}
