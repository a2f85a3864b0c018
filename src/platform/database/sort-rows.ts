import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

interface Tie {
  /** Properties that sort rows with the same value, before their ids do. */
  readonly then?: readonly string[];
  /** Set for a property that can be null; otherwise omit it, so that an index can also be read backwards. */
  readonly nulls?: 'NULLS LAST' | undefined;
}

/** Sorts a list by a property, descending after `-`, and last by id: no row appears on two pages. */
export function sortRows<Entity extends ObjectLiteral>(
  found: SelectQueryBuilder<Entity>,
  sort: string,
  { then = [], nulls }: Tie = {},
): void {
  const direction = directionOf(sort);
  found.orderBy(`${found.alias}.${sort.replace('-', '')}`, direction, nulls);
  for (const property of [...then, 'id']) found.addOrderBy(`${found.alias}.${property}`, direction);
}

export function directionOf(sort: string): 'ASC' | 'DESC' {
  return sort.startsWith('-') ? 'DESC' : 'ASC';
}
