import type { EntityMetadata } from 'typeorm';

/** The column that tells the entities of one table apart, and its value in the rows of one of them, as SQL. */
export interface RowKind {
  readonly column: string;
  readonly literal: string;
}

/** Returns null for an entity that has its table alone, and for the base class of the entities that share one. */
export function rowKindOf(metadata: EntityMetadata): RowKind | null {
  const { tableType, discriminatorColumn, discriminatorValue } = metadata;
  if (tableType !== 'entity-child') return null;
  if (!discriminatorColumn || !/^\w+$/.test(discriminatorValue ?? '')) {
    throw new Error(`${metadata.name} does not say which rows of ${metadata.tableName} it has`);
  }
  return { column: discriminatorColumn.databaseName, literal: `'${discriminatorValue}'` };
}
