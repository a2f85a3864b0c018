import { getMetadataArgsStorage, type ValueTransformer } from 'typeorm';
import type { ColumnMetadataArgs } from 'typeorm/metadata-args/ColumnMetadataArgs.js';

/** The class of an entity, even an abstract one. */
export type Class = object['constructor'];

const known = new WeakMap<Class, readonly ColumnMetadataArgs[]>();

/** The columns that an entity and its base classes declare. */
export function columnsOf(entity: Class): readonly ColumnMetadataArgs[] {
  const columns = known.get(entity) ?? getMetadataArgsStorage().filterColumns(lineOf(entity));
  known.set(entity, columns);
  return columns;
}

/** The class and its base classes, the nearest first. */
export function lineOf(entity: Class): Class[] {
  const parent: unknown = Object.getPrototypeOf(entity);
  return typeof parent === 'function' && parent !== Function.prototype ? [entity, ...lineOf(parent)] : [entity];
}

/**
 * bigint column <-> safe integer. The driver returns text; a value that a double cannot represent exactly is rejected,
 * never rounded.
 */
export const safeInteger: ValueTransformer = {
  to: (value: number | null | undefined) => (value === null || value === undefined ? value : checked(value)),
  from: (value: string | number | null) => (value === null ? null : checked(Number(value))),
};

function checked(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError('An amount exceeds the safe integers');
  return value;
}

/** A value as JSON: instants become ISO 8601 texts. */
export type Plain<Value> = Value extends Date ? string : Value;

export function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
