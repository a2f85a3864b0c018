import type { Database } from '../../../platform/database/database.js';
import type { Filter } from '../../../search-engine/index.js';
import type { FieldKeys } from './field-keys.js';
import { filterSql, isOfOneIndex } from './filter-sql.js';
import { SqlParameters } from './sql-parameters.js';
import { anyTerm, anyTermInParts, frequencyOf, type MatchedTerm, termsOfAtLeast } from './term-sql.js';
import type { VectorSearch } from './vector-search.js';

/** Up to this number of terms, "at least k of them" is one tsquery of all combinations. */
const MAX_COMBINED = 5;

/** A search in one index, prepared: what documents match. */
export interface Matching {
  readonly indexId: string;
  readonly keys: FieldKeys;
  readonly filters: readonly Filter[];
  /** Null if the query matches all documents; empty if keywords are not searched. */
  readonly terms: readonly MatchedTerm[] | null;
  /** The number of terms that a document must contain; 0 means one. */
  readonly minMatchedTerms: number;
  /** Null if vectors are not searched. */
  readonly vectors: VectorSearch | null;
  /** The ids of the documents that match by their vectors, with these filters. */
  readonly nearIds: readonly string[];
}

/** The condition of a match as SQL on a row `d`. */
export function matchSql(matching: Matching, parameters: SqlParameters): string {
  const byKeywords = keywordMatchSql(matching, parameters);
  return matching.nearIds.length === 0 ? byKeywords : `((${byKeywords}) or (${nearSql(matching, parameters)}))`;
}

/** The condition that a row `d` matches by its vector. */
export function nearSql({ indexId, nearIds }: Matching, parameters: SqlParameters): string {
  return `d.index_id = ${parameters.add(indexId)} and d.id = any(${parameters.add(nearIds)}::text[])`;
}

/**
 * The condition that a row `d` matches by keywords; with `candidates`, a tsquery of some of the documents with a term, the
 * condition that it is one of them as well.
 */
export function keywordMatchSql(
  matching: Matching,
  parameters: SqlParameters,
  candidates: string | null = null,
): string {
  const { indexId, keys, filters, terms, minMatchedTerms } = matching;
  const conditions = filters.map((filter) => filterSql(filter, keys, parameters));
  if (candidates !== null) conditions.push(contains(candidates, parameters));
  if (terms && (candidates === null || minMatchedTerms > 1)) conditions.push(...termConditions(matching, parameters));
  // Lexemes and keys are those of one index, and the planner would combine the two conditions.
  if (terms === null && !filters.some(isOfOneIndex)) conditions.push(`d.index_id = ${parameters.add(indexId)}`);
  return conditions.map((condition) => `(${condition})`).join(' and ');
}

/**
 * The highest number of terms that a document contains. A document without any of the r rarest terms contains at most all
 * others: so the first r documents of which contain more decide.
 */
export async function mostMatchedTerms(database: Database, matching: Matching): Promise<number> {
  const terms = (matching.terms ?? []).filter(({ matches }) => matches.length > 0);
  if (terms.length <= 1) return terms.length;
  if (terms.length <= MAX_COMBINED) {
    for (let count = terms.length; count > 1; count -= 1) {
      const parameters = new SqlParameters();
      const text = `select from catalog_search_document as d
        where ${keywordMatchSql({ ...matching, minMatchedTerms: count }, parameters)} limit 1`;
      const { count: found } = await database.execute(text, parameters.values);
      if (found > 0) return count;
    }
    return 1;
  }
  const byFrequency = terms.toSorted((a, b) => frequencyOf(a) - frequencyOf(b));
  let most = 0;
  for (let rarest = 2; most < terms.length - rarest / 2; rarest *= 2) {
    const parameters = new SqlParameters();
    const rare = { ...matching, terms: byFrequency.slice(0, rarest), minMatchedTerms: 0 };
    const some = keywordMatchSql(rare, parameters);
    const text = `select max(${countSql(terms, parameters)}) as most from catalog_search_document as d where ${some}`;
    const [row] = await database.query<{ most: number | null }>(text, parameters.values);
    most = Math.max(most, row?.most ?? 0);
    if (rarest >= terms.length || most >= terms.length - rarest) return most;
  }
  return most;
}

function termConditions({ terms, filters, minMatchedTerms }: Matching, parameters: SqlParameters): string[] {
  const found = (terms ?? []).filter(({ matches }) => matches.length > 0);
  if (found.length === 0 || minMatchedTerms > found.length) return ['false'];
  if (minMatchedTerms <= 1) {
    // With a filter, one condition is faster: the server then skips what the filter excludes.
    const queries = filters.length === 0 ? anyTermInParts(found) : [anyTerm(found)];
    return [queries.map((query) => contains(query, parameters)).join(' or ')];
  }
  if (found.length <= MAX_COMBINED || minMatchedTerms === found.length) {
    return [contains(termsOfAtLeast(found, minMatchedTerms), parameters)];
  }
  // A document with that many terms has at least one of the rarest ones that it may not lack.
  const rarest = found.toSorted((a, b) => frequencyOf(a) - frequencyOf(b)).slice(0, found.length - minMatchedTerms + 1);
  return [contains(anyTerm(rarest), parameters), `${countSql(found, parameters)} >= ${minMatchedTerms}`];
}

function contains(query: string, parameters: SqlParameters): string {
  return `d.words @@ ${parameters.add(query)}::tsquery`;
}

function countSql(terms: readonly MatchedTerm[], parameters: SqlParameters): string {
  return terms.map((term) => `(d.words @@ ${parameters.add(anyTerm([term]))}::tsquery)::int`).join(' + ');
}
