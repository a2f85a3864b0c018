import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Statement } from './statement.js';

/** Which part of a list is wanted. */
export interface PageBounds {
  readonly limit: number;
  readonly offset: number;
}

/** The member of each row that has the number of all rows of the list. */
export const TOTAL = 'total_of_list';

/**
 * One statement for a page and for how many there are in all. The count is a subquery of its own, not `count(*) over ()`:
 * that would read and sort the whole list for its first page.
 */
export function pageStatement(
  found: SelectQueryBuilder<ObjectLiteral>,
  columns: string,
  { limit, offset }: PageBounds,
): Statement {
  const page = found.clone();
  const others = page.expressionMap.selects.filter(({ selection }) => selection !== found.alias);
  page.select(columns).addSelect(`(${countOf(found).getQuery()})`, TOTAL);
  page.expressionMap.selects.push(...others);
  const [text, values] = page.limit(limit).offset(offset).getQueryAndParameters();
  return { text, values };
}

/** For a page beyond the end, which has no row that could carry the total. */
export function countStatement(found: SelectQueryBuilder<ObjectLiteral>): Statement {
  const [text, values] = countOf(found).getQueryAndParameters();
  return { text, values };
}

function countOf(found: SelectQueryBuilder<ObjectLiteral>): SelectQueryBuilder<ObjectLiteral> {
  return found.clone().select('count(*)', TOTAL).orderBy();
}
