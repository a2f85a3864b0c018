import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Statement } from './statement.js';

/** The requested part of a list. */
export interface PageBounds {
  readonly limit: number;
  readonly offset: number;
}

/** The member of each row that has the number of all rows of the list. */
export const TOTAL = 'total_of_list';

/**
 * One statement for a page and the total number of rows. The count is a subquery of its own, not `count(*) over ()`:
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

/** The total for a page beyond the end, which has no row to contain it. */
export function countStatement(found: SelectQueryBuilder<ObjectLiteral>): Statement {
  const [text, values] = countOf(found).getQueryAndParameters();
  return { text, values };
}

function countOf(found: SelectQueryBuilder<ObjectLiteral>): SelectQueryBuilder<ObjectLiteral> {
  return found.clone().select('count(*)', TOTAL).orderBy();
}
