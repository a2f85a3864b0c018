import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { rowKindOf } from './row-kind.js';
import type { Statement } from './statement.js';

interface Field {
  readonly property: string;
  readonly column: string;
  readonly toColumn: (value: unknown) => unknown;
  readonly fromColumn: (value: unknown) => unknown;
}

/**
 * The statements of a table, made once from the metadata of its entity, and the conversion of a row to an entity. TypeORM's
 * query builders build the same statements again for each call, at several times the cost of the statement.
 */
export class RowStatements {
  private readonly fields: readonly Field[];
  private readonly table: string;
  /** Begins the names of the statements. Entities that share a table have different columns, so they share no statement. */
  private readonly name: string;
  /** Restricts a statement to the rows of an entity that shares its table. */
  private readonly andKind: string;
  private readonly prototype: object;
  /** The entities of a base class that share its table, by the value of this column. */
  private readonly kinds: { readonly column: string; readonly of: ReadonlyMap<unknown, RowStatements> } | null;
  private readonly texts: Record<'insert' | 'insertUnlessTaken' | 'update' | 'lock' | 'lockAll', string>;
  private readonly select: string;

  constructor(metadata: EntityMetadata) {
    const kind = rowKindOf(metadata);
    this.table = metadata.tableName;
    this.name = kind ? `${this.table}-${metadata.discriminatorValue}` : this.table;
    this.andKind = kind ? ` and "${kind.column}" = ${kind.literal}` : '';
    this.fields = metadata.columns.map(fieldOf);
    this.kinds = kindsOf(metadata);
    this.prototype = prototypeOf(metadata);
    const columns = this.fields.map(({ column }) => `"${column}"`);
    const values = columns.map((_, index) => `$${index + 1}`);
    const insert = `insert into "${this.table}" (${columns.join(', ')}) values (${values.join(', ')})`;
    const changes = columns.map((column, index) => `${column} = $${index + 1}`);
    const [id, version] = [`$${columns.length + 1}`, `$${columns.length + 2}`];
    this.select = `select ${columns.join(', ')} from "${this.table}"`;
    this.texts = {
      insert,
      insertUnlessTaken: `${insert} on conflict do nothing`,
      update: requireOneRow(
        `update "${this.table}" set ${changes.join(', ')} where id = ${id} and version = ${version}`,
        `${this.table}_locked`,
      ),
      lock: `${this.select} where id = $1${this.andKind} for update`,
      lockAll: `${this.select} where id = any($1)${this.andKind} order by id for update`,
    };
  }

  insert(entity: object): Statement {
    return this.named('insert', this.valuesOf(entity));
  }

  insertUnlessTaken(entity: object): Statement {
    return this.named('insertUnlessTaken', this.valuesOf(entity));
  }

  /**
   * Like `insertUnlessTaken`; `returning` lists values of the new row. Each entity has one list, because the statement is named
   * after it.
   */
  insertReturning(entity: object, returning: string): Statement {
    const text = `${this.texts.insertUnlessTaken} returning ${returning}`;
    return { name: `${this.name}-insertReturning`, text, values: this.valuesOf(entity) };
  }

  /** Writes all columns over the row that still has this version, which it raises. Fails if there is no such row. */
  update(entity: ObjectLiteral & { id: string; version: number }): Statement {
    const { id, version } = entity;
    return this.named('update', [...this.valuesOf({ ...entity, version: version + 1 }), id, version]);
  }

  lock(id: string): Statement {
    return this.named('lock', [id]);
  }

  lockAll(ids: readonly string[]): Statement {
    return this.named('lockAll', [ids]);
  }

  /** The rows whose properties have these values, in the order of these properties. */
  find(where: ObjectLiteral, order: readonly string[] = []): Statement {
    const properties = Object.keys(where);
    const conditions = properties.map((property, index) => `${this.columnOf(property)} = $${index + 1}`);
    const sort = order.length === 0 ? '' : ` order by ${order.map((property) => this.columnOf(property)).join(', ')}`;
    return {
      name: [`${this.name}-find`, ...properties, ...(order.length === 0 ? [] : ['by', ...order])].join('-'),
      text: `${this.select} where ${conditions.join(' and ')}${this.andKind}${sort}`,
      values: properties.map((property) => this.fieldOf(property).toColumn(where[property])),
    };
  }

  /** The list of all columns for a SELECT. Never `*`: a migration during operation would invalidate prepared statements. */
  columnsOf(alias: string): string {
    return this.fields.map(({ column }) => `${alias}."${column}"`).join(', ');
  }

  /** Returns the entity of the row; of a base class, the entity to which the row belongs. */
  entityOf(row: ObjectLiteral): object {
    const own = this.kinds?.of.get(row[this.kinds.column]);
    if (own) return own.entityOf(row);
    const entity = Object.create(this.prototype) as ObjectLiteral;
    for (const { property, column, fromColumn } of this.fields) entity[property] = fromColumn(row[column]);
    return entity;
  }

  private named(kind: keyof RowStatements['texts'], values: unknown[]): Statement {
    return { name: `${this.name}-${kind}`, text: this.texts[kind], values };
  }

  private columnOf(property: string): string {
    return `"${this.fieldOf(property).column}"`;
  }

  private fieldOf(property: string): Field {
    const field = this.fields.find((candidate) => candidate.property === property);
    if (!field) throw new Error(`${this.table} has no column for '${property}'`);
    return field;
  }

  private valuesOf(entity: ObjectLiteral): unknown[] {
    return this.fields.map(({ property, toColumn }) => toColumn(entity[property]));
  }
}

/** Builds an UPDATE that violates this constraint unless it changes one row, so that COMMIT can be sent with it. */
export function requireOneRow(update: string, constraint: string): string {
  return `with changed as (${update} returning 1)
    select case when count(*) <> 1 then require_one_row('${constraint}') end from changed`;
}

const JSON_TYPES: readonly unknown[] = ['json', 'jsonb'];

function fieldOf({ propertyName, databaseName, type, transformer }: ColumnMetadata): Field {
  const transformers = transformer === undefined ? [] : [transformer].flat();
  // The driver would send an array as a PostgreSQL array, and a text without quotes.
  const isJson = JSON_TYPES.includes(type);
  return {
    property: propertyName,
    column: databaseName,
    toColumn: (value) => {
      const stored: unknown = transformers.reduce<unknown>((given, one) => one.to(given), value);
      return isJson && stored !== null && stored !== undefined ? JSON.stringify(stored) : stored;
    },
    fromColumn: (value) => transformers.reduceRight<unknown>((given, one) => one.from(given), value),
  };
}

function kindsOf({ discriminatorColumn, childEntityMetadatas: kinds }: EntityMetadata) {
  if (!discriminatorColumn || kinds.length === 0) return null;
  const of = new Map(kinds.map((kind) => [kind.discriminatorValue, new RowStatements(kind)]));
  return { column: discriminatorColumn.databaseName, of };
}

function prototypeOf({ target, name }: EntityMetadata): object {
  if (typeof target !== 'function') throw new Error(`${name} is not declared by a class`);
  return target.prototype as object;
}
