import type { Match } from './match.js';
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
  readonly found: Match;
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
  const { request, found, documents, isBrowsing, at } = given;
  const { limit, sort, place } = request;
  const byScore = sort === 'relevance' && !isBrowsing;
  const delivered = new Set(byScore ? place?.delivered : []);
  const candidates: Ranked[] = [];
  for (const index of found.places) {
    const document = documents.at(index);
    if (!document || delivered.has(document.seq)) continue;
    const score = found.scores[index] ?? 0;
    const key = byScore ? [-score] : keyOf(sort, documents, { place: index, now: at });
    if (byScore || !place?.last || compare({ key, id: document.id }, place.last) > 0) {
      candidates.push({ document, key, score });
    }
  }
  const page = smallest(candidates, limit);
  const last = page.at(-1);
  const all = [...delivered, ...page.map(({ document }) => document.seq)];
  const isLast = candidates.length <= limit || last === undefined || (byScore && all.length >= MAX_DELIVERED);
  const rest = byScore
    ? { delivered: all, last: null }
    : { delivered: [], last: last ? { key: last.key, id: last.document.id } : null };
  return { documents: page, rest: isLast ? null : rest };
}

function compare(one: { key: Key; id: string }, other: { key: Key; id: string }): number {
  return compareKeys(one.key, other.key) || compareIds(one.id, other.id);
}

/** The first ones in their order. Of many, all but the first few hundred are dropped as they come. */
function smallest(candidates: readonly Ranked[], limit: number): Ranked[] {
  const inOrder = (a: Ranked, b: Ranked) =>
    compare({ key: a.key, id: a.document.id }, { key: b.key, id: b.document.id });
  const kept: Ranked[] = [];
  let worst: Ranked | undefined;
  for (const candidate of candidates) {
    if (kept.length >= limit && worst && inOrder(candidate, worst) >= 0) continue;
    kept.push(candidate);
    if (kept.length >= limit * 4 || kept.length === limit) {
      kept.sort(inOrder);
      kept.length = Math.min(kept.length, limit);
      worst = kept.at(-1);
    }
  }
  return kept.sort(inOrder).slice(0, limit);
}
