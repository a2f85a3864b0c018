import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { rowCountOf } from './row-counts.js';
import { rowKindOf } from './row-kind.js';
import type { Statement } from './statement.js';

/** The requested part of a list. */
export interface PageBounds {
  readonly limit: number;
  readonly offset: number;
}

/** The member of each row with the total number of rows in the list. */
export const TOTAL = 'total_of_list';

/** A statement without its last two parameters, the limit and the offset. */
interface PageText {
  /** Only a page without conditions has a name: the best plan for other pages may depend on the values. */
  readonly name?: string;
  readonly text: string;
  /** The names of the parameters in the order of their values. */
  readonly parameters: readonly string[];
}

/** Building a statement takes TypeORM some 100 µs, so statements of equal queries are built once. */
const known = new Map<string, PageText>();
const MAX_KNOWN = 1_000;

/**
 * One statement for a page and the total number of rows. The count is a separate subquery, not `count(*) over ()`: that would
 * read and sort the whole list for its first page. Where triggers count the rows, it is read from there.
 */
export function pageStatement(
  found: SelectQueryBuilder<ObjectLiteral>,
  columns: string,
  { limit, offset }: PageBounds,
): Statement {
  const form = formOf(found);
  if (form === '') {
    const [select, values] = selectOf(found, columns).getQueryAndParameters() as [string, unknown[]];
    return { text: withBounds(select, values.length), values: [...values, limit, offset] };
  }
  const { parameters, ...statement } = known.get(form) ?? addText(form, found, columns);
  const given = found.getParameters();
  return { ...statement, values: [...parameters.map((name): unknown => given[name]), limit, offset] };
}

/**
 * The inputs of the statement besides the values; empty for a query with joins, groups, lists or nested conditions, or of an
 * entity that shares its table, for which TypeORM adds a condition with a value of its own.
 */
function formOf({ expressionMap }: SelectQueryBuilder<ObjectLiteral>): string {
  const { aliases, selects, wheres, orderBys, groupBys, havings } = expressionMap;
  // The text of a list, as in `in (:...ids)`, depends on the number of its values.
  const isPlain = wheres.every(({ condition }) => typeof condition === 'string' && !condition.includes(':...'));
  if (!isPlain || aliases.length > 1 || groupBys.length + havings.length > 0) return '';
  const [{ name, metadata } = {}] = aliases;
  if (metadata && rowKindOf(metadata)) return '';
  return JSON.stringify([metadata?.tableName, metadata?.name, name, selects, wheres, orderBys]);
}

function addText(form: string, found: SelectQueryBuilder<ObjectLiteral>, columns: string): PageText {
  const page = selectOf(found, columns);
  // With its name as the value of each parameter, the values are the names in the order of the statement.
  page.setParameters(Object.fromEntries(Object.keys(found.getParameters()).map((name) => [name, name])));
  const [select, parameters] = page.getQueryAndParameters() as [string, string[]];
  const text = withBounds(select, parameters.length);
  if (known.size >= MAX_KNOWN) return { text, parameters };
  const name = page.expressionMap.wheres.length === 0 ? { name: `page-${known.size}` } : {};
  const made = { ...name, text, parameters };
  known.set(form, made);
  return made;
}

function selectOf(found: SelectQueryBuilder<ObjectLiteral>, columns: string): SelectQueryBuilder<ObjectLiteral> {
  const page = found.clone();
  const others = page.expressionMap.selects.filter(({ selection }) => selection !== found.alias);
  page.select(columns).addSelect(rowCountOf(found) ?? `(${countOf(found).getQuery()})`, TOTAL);
  page.expressionMap.selects.push(...others);
  return page;
}

function withBounds(select: string, parameters: number): string {
  return `${select} LIMIT $${parameters + 1} OFFSET $${parameters + 2}`;
}

/** Reads only the total, for a page beyond the end of the list. No row means 0. */
export function countStatement(found: SelectQueryBuilder<ObjectLiteral>): Statement {
  const kept = rowCountOf(found);
  const counted = kept === null ? countOf(found) : found.clone().select(kept, TOTAL).orderBy().limit(1);
  const [text, values] = counted.getQueryAndParameters();
  return { text, values };
}

function countOf(found: SelectQueryBuilder<ObjectLiteral>): SelectQueryBuilder<ObjectLiteral> {
  return found.clone().select('count(*)', TOTAL).orderBy();
}
