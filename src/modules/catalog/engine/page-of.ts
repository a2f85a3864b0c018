import { compareIds, compareKeys, type Key, keyOf } from './order.js';
import type { Place, SearchRequest } from './search-index.js';
import type { ShownDocument } from './shown-document.js';
import type { SliceDocuments } from './slice-documents.js';

const MAX_DELIVERED = 10_000;

interface Ranked {
  readonly document: ShownDocument;
  readonly key: Key;
  readonly score: number;
}

interface Page {
  readonly documents: readonly Ranked[];
  /** Where the next page begins; null on the last one. */
  readonly rest: Pick<Place, 'delivered' | 'last'> | null;
}

interface Given {
  readonly request: SearchRequest;
  readonly places: Uint32Array;
  /** Side by side with the places; empty where everything is asked for. */
  readonly scores: Float64Array;
  readonly documents: SliceDocuments;
  /** Everything is asked for: there are no scores. */
  readonly isBrowsing: boolean;
  readonly at: number;
}

/**
 * The page that is asked for. In an order by fields it is what comes after the last one. Scores move when documents arrive:
 * by relevance it is the ranking of now, less what was delivered.
 */
export function pageOf(given: Given): Page {
  const { request, places, scores, documents, isBrowsing, at } = given;
  const { limit, sort, place } = request;
  const byScore = sort === 'relevance' && !isBrowsing;
  const delivered = new Set(byScore ? place?.delivered : []);
  const first = new FirstOnes(limit);
  let left = 0;
  for (let index = 0; index < places.length; index += 1) {
    const score = scores[index] ?? 0;
    // Nearly all of many fall through here.
    if (byScore && delivered.size === 0 && first.isBeyond(-score)) {
      left += 1;
      continue;
    }
    const document = documents.at(places[index] ?? 0);
    if (!document || delivered.has(document.seq)) continue;
    const key = byScore ? [-score] : keyOf(sort, documents, { place: places[index] ?? 0, now: at });
    if (byScore || !place?.last || compare({ key, id: document.id }, place.last) > 0) {
      left += 1;
      first.offer({ document, key, score });
    }
  }
  const page = first.inOrder();
  const last = page.at(-1);
  const all = [...delivered, ...page.map(({ document }) => document.seq)];
  const isLast = left <= limit || last === undefined || (byScore && all.length >= MAX_DELIVERED);
  const rest = byScore
    ? { delivered: all, last: null }
    : { delivered: [], last: last ? { key: last.key, id: last.document.id } : null };
  return { documents: page, rest: isLast ? null : rest };
}

function compare(one: { key: Key; id: string }, other: { key: Key; id: string }): number {
  return compareKeys(one.key, other.key) || compareIds(one.id, other.id);
}

function inOrder(a: Ranked, b: Ranked): number {
  return compare({ key: a.key, id: a.document.id }, { key: b.key, id: b.document.id });
}

/** The first ones of many. All but the first few hundred are dropped as they come. */
class FirstOnes {
  private readonly kept: Ranked[] = [];
  private last: Ranked | undefined;

  constructor(private readonly limit: number) {}

  /** Whether nothing whose key begins so is among the first ones. */
  isBeyond(key: number): boolean {
    return this.last !== undefined && key > (this.last.key[0] ?? 0);
  }

  offer(one: Ranked): void {
    if (this.last && inOrder(one, this.last) >= 0) return;
    this.kept.push(one);
    if (this.kept.length >= this.limit * 4 || this.kept.length === this.limit) this.drop();
  }

  inOrder(): Ranked[] {
    this.drop();
    return this.kept;
  }

  private drop(): void {
    this.kept.sort(inOrder);
    this.kept.length = Math.min(this.kept.length, this.limit);
    if (this.kept.length === this.limit) this.last = this.kept.at(-1);
  }
}
