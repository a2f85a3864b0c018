import type { Filter } from '../../../search-engine/index.js';
import type { FieldKeys } from './field-keys.js';
import { filterSql, isOfOneIndex } from './filter-sql.js';
import { SqlParameters } from './sql-parameters.js';
import { anyTerm, anyTermInParts, type MatchedTerm, termsOfAtLeast } from './term-sql.js';
import type { VectorSearch } from './vector-search.js';
import type { SearchStatements } from './search-statements.js';

/** A prepared search in one index; it decides which documents match. */
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
 * The condition that a row `d` matches by keywords. With `candidates`, a tsquery for some of the documents with a term, the row
 * must also be one of them.
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
  // Lexemes and keys belong to one index, and the planner would combine the two conditions.
  if (terms === null && !filters.some(isOfOneIndex)) conditions.push(`d.index_id = ${parameters.add(indexId)}`);
  return conditions.map((condition) => `(${condition})`).join(' and ');
}

/** The highest number of terms that a document contains, out of the few terms of a search sorted by a field. */
export async function mostMatchedTerms(database: SearchStatements, matching: Matching): Promise<number> {
  const terms = (matching.terms ?? []).filter(({ matches }) => matches.length > 0);
  if (terms.length <= 1) return terms.length;
  for (let count = terms.length; count > 1; count -= 1) {
    const parameters = new SqlParameters();
    const text = `select from catalog_search_document as d
      where ${keywordMatchSql({ ...matching, minMatchedTerms: count }, parameters)} limit 1`;
    const { count: found } = await database.execute(text, parameters.values);
    if (found > 0) return count;
  }
  return 1;
}

function termConditions({ terms, filters, minMatchedTerms }: Matching, parameters: SqlParameters): string[] {
  const found = (terms ?? []).filter(({ matches }) => matches.length > 0);
  if (found.length === 0 || minMatchedTerms > found.length) return ['false'];
  if (minMatchedTerms <= 1) {
    // With a filter, one condition is faster, because the server skips rows that the filter excludes.
    const queries = filters.length === 0 ? anyTermInParts(found) : [anyTerm(found)];
    return [queries.map((query) => contains(query, parameters)).join(' or ')];
  }
  return [contains(termsOfAtLeast(found, minMatchedTerms), parameters)];
}

function contains(query: string, parameters: SqlParameters): string {
  return `d.words @@ ${parameters.add(query)}::tsquery`;
}
