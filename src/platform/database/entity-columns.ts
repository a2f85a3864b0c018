import { getMetadataArgsStorage } from 'typeorm';
import type { ColumnMetadataArgs } from 'typeorm/metadata-args/ColumnMetadataArgs.js';

/** Of an entity, also of an abstract one. */
export type Class = object['constructor'];

const known = new WeakMap<Class, readonly ColumnMetadataArgs[]>();

/** The columns that an entity and its base classes declare. */
export function columnsOf(entity: Class): readonly ColumnMetadataArgs[] {
  const columns = known.get(entity) ?? getMetadataArgsStorage().filterColumns(lineOf(entity));
  known.set(entity, columns);
  return columns;
}

function lineOf(entity: Class): Class[] {
  const parent: unknown = Object.getPrototypeOf(entity);
  return typeof parent === 'function' && parent !== Function.prototype ? [entity, ...lineOf(parent)] : [entity];
}
