import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { rowCountOf } from './row-counts.js';
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
 * that would read and sort the whole list for its first page. Where triggers count the rows, it is read from there.
 */
export function pageStatement(
  found: SelectQueryBuilder<ObjectLiteral>,
  columns: string,
  { limit, offset }: PageBounds,
): Statement {
  const page = found.clone();
  const others = page.expressionMap.selects.filter(({ selection }) => selection !== found.alias);
  page.select(columns).addSelect(rowCountOf(found) ?? `(${countOf(found).getQuery()})`, TOTAL);
  page.expressionMap.selects.push(...others);
  const [text, values] = page.limit(limit).offset(offset).getQueryAndParameters();
  return { text, values };
}

/** The total alone, also for a page beyond the end, which has no row to contain it. Without a row it is 0. */
export function countStatement(found: SelectQueryBuilder<ObjectLiteral>): Statement {
  const kept = rowCountOf(found);
  const counted = kept === null ? countOf(found) : found.clone().select(kept, TOTAL).orderBy().limit(1);
  const [text, values] = counted.getQueryAndParameters();
  return { text, values };
}

function countOf(found: SelectQueryBuilder<ObjectLiteral>): SelectQueryBuilder<ObjectLiteral> {
  return found.clone().select('count(*)', TOTAL).orderBy();
}
