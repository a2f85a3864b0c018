import type { DocumentStore } from './document-store.js';
import type { DocumentView } from './document-view.js';
import type { PagePosition, SearchRequest, Sort } from './search-api.js';

/** Paging by relevance ends after this number of documents, because its cursor lists all delivered ones. */
export const MAX_DELIVERED = 10_000;
const DAY_MS = 86_400_000;

/** A smaller key comes first, compared part by part; equal keys are ordered by id. */
type SortKey = readonly number[];

interface RankedDocument {
  readonly view: DocumentView;
  readonly key: SortKey;
  readonly score: number;
}

interface Page {
  readonly documents: readonly RankedDocument[];
  /** The start of the next page; null on the last page. */
  readonly end: Pick<PagePosition, 'delivered' | 'last'> | null;
}

interface PageRequest {
  readonly request: SearchRequest;
  readonly ordinals: Uint32Array;
  /** Scores in parallel with the ordinals; empty if the query matches all documents. */
  readonly scores: Float64Array;
  readonly documents: DocumentStore;
  readonly matchesAll: boolean;
  readonly startedAt: number;
}

/**
 * Selects one page of the matches. With a sort by a field, a page starts after the last delivered document (keyset paging).
 * Relevance scores change when documents are added, so a page by relevance is the current ranking without the delivered
 * documents.
 */
export function pageOf({ request, ordinals, scores, documents, matchesAll, startedAt }: PageRequest): Page {
  const { limit, sort, position } = request;
  const byScore = sort === 'relevance' && !matchesAll;
  const delivered = new Set(byScore ? position?.delivered : []);
  const top = new TopDocuments(limit);
  let remaining = 0;
  for (let index = 0; index < ordinals.length; index += 1) {
    const score = scores[index] ?? 0;
    // A shortcut that most documents of a large result take.
    if (byScore && delivered.size === 0 && top.excludes(-score)) {
      remaining += 1;
      continue;
    }
    const ordinal = ordinals[index] ?? 0;
    const view = documents.at(ordinal);
    if (!view || delivered.has(view.seq)) continue;
    const key = byScore ? [-score] : sortKey(sort, documents, { ordinal, now: startedAt });
    if (byScore || !position?.last || compare({ key, id: view.id }, position.last) > 0) {
      remaining += 1;
      top.offer({ view, key, score });
    }
  }
  const page = top.sorted();
  const last = page.at(-1);
  const all = [...delivered, ...page.map(({ view }) => view.seq)];
  const isLastPage = remaining <= limit || last === undefined || (byScore && all.length >= MAX_DELIVERED);
  const end = byScore
    ? { delivered: all, last: null }
    : { delivered: [], last: last ? { key: last.key, id: last.view.id } : null };
  return { documents: page, end: isLastPage ? null : end };
}

/** Returns the key of a document without its score. A missing value comes last in ascending and descending order. */
function sortKey(sort: Sort, documents: DocumentStore, { ordinal, now }: { ordinal: number; now: number }): SortKey {
  switch (sort) {
    case 'price-asc':
      return [orLast(documents.prices.at(ordinal))];
    case 'price-desc':
      return [orLast(-documents.prices.at(ordinal))];
    case 'departure-asc': {
      const [departure, start] = [documents.nextDepartures.at(ordinal), documents.startDates.at(ordinal)];
      // A start date of today is not in the past.
      const today = now - (now % DAY_MS);
      return [departure >= now ? departure : start >= today ? start : Number.MAX_VALUE];
    }
    case 'newest':
      return [orLast(-documents.publishedAt.at(ordinal))];
    case 'relevance':
      return [-documents.merits.at(ordinal), orLast(-documents.publishedAt.at(ordinal))];
  }
}

/** Uses MAX_VALUE, because JSON has no infinity and the key is part of a cursor. */
function orLast(key: number): number {
  return Number.isNaN(key) ? Number.MAX_VALUE : key;
}

function compare(one: { key: SortKey; id: string }, other: { key: SortKey; id: string }): number {
  for (const [index, part] of one.key.entries()) {
    const difference = part - (other.key[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

function compareRanked(a: RankedDocument, b: RankedDocument): number {
  return compare({ key: a.key, id: a.view.id }, { key: b.key, id: b.view.id });
}

/** Collects the first documents of a sort order. Drops others as they arrive, so that few are sorted. */
class TopDocuments {
  private readonly kept: RankedDocument[] = [];
  private last: RankedDocument | undefined;

  constructor(private readonly limit: number) {}

  /** Returns whether a document with this first part of its key is certainly not among the first. */
  excludes(key: number): boolean {
    return this.last !== undefined && key > (this.last.key[0] ?? 0);
  }

  offer(document: RankedDocument): void {
    if (this.last && compareRanked(document, this.last) >= 0) return;
    this.kept.push(document);
    if (this.kept.length >= this.limit * 4 || this.kept.length === this.limit) this.truncate();
  }

  sorted(): RankedDocument[] {
    this.truncate();
    return this.kept;
  }

  private truncate(): void {
    this.kept.sort(compareRanked);
    this.kept.length = Math.min(this.kept.length, this.limit);
    if (this.kept.length === this.limit) this.last = this.kept.at(-1);
  }
}
