import type { EntityTarget, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { columnsOf } from './columns.js';
import { notFound } from '../errors/app-error.js';
import type { Database } from './database.js';
import type { PageBounds } from './page.js';
import type { Statement } from './statement.js';

/** The columns of an entity, without its methods. */
export type Columns<Entity> = {
  [K in keyof Entity as Entity[K] extends (...args: never[]) => unknown ? never : K]: Entity[K];
};

/** A row that may be changed later: it has a version, which every change raises. */
export interface Versioned extends ObjectLiteral {
  id: string;
  version: number;
}

type WithDefault<Entity> =
  { [Name in keyof Entity]: null extends Entity[Name] ? Name : never }[keyof Entity] | 'version' | 'updatedAt';

/** The columns of a new row; columns with a default may be absent. */
export type NewRow<Entity> = Omit<Columns<Entity>, WithDefault<Entity>> & {
  [Name in keyof Columns<Entity>]?: Entity[Name] | undefined;
};

/**
 * A new entity; the compiler asks for its columns. The defaults are null where that is allowed, the initial value that the
 * class declares, the version 1, and `createdAt` as the time of the last change.
 */
export function make<Entity extends object>(entity: new () => Entity, columns: NewRow<Entity>): Entity {
  const row = new entity();
  const given: Record<string, unknown> = { ...columns };
  for (const { propertyName: name, options } of columnsOf(entity)) {
    const initial: unknown = Reflect.get(row, name);
    const value = given[name] ?? (options.nullable === true ? null : (initial ?? defaultOf(name, given)));
    Reflect.set(row, name, value);
  }
  return row;
}

function defaultOf(name: string, { createdAt }: Record<string, unknown>): unknown {
  if (name === 'version') return 1;
  return name === 'updatedAt' ? createdAt : undefined;
}

/** The class of an entity, by which TypeORM knows its table. */
export function targetOf<Entity extends ObjectLiteral>(entity: Entity): EntityTarget<Entity> {
  return entity.constructor;
}

/**
 * The rows of one entity: prepared statements made of its metadata. Obtained from `Database.rows`. All methods join the running
 * transaction if there is one. Other statements are SQL in a repository; `columns` gives its column list.
 */
export class Rows<Entity extends Versioned> {
  constructor(
    private readonly entity: EntityTarget<Entity>,
    private readonly database: Database,
  ) {}

  async find(id: string): Promise<Entity | null> {
    return this.database.findRow(this.entity, { id });
  }

  /** Returns the row whose properties have these values, if there is one; a value of null finds nothing. */
  async findBy(where: Partial<Columns<Entity>>): Promise<Entity | null> {
    return this.database.findRow(this.entity, where);
  }

  /**
   * Returns all rows whose properties have these values, sorted ascending. Use it only for sets that a rule bounds, and `page`
   * otherwise.
   */
  async listBy(where: Partial<Columns<Entity>>, order: readonly (keyof Columns<Entity> & string)[]): Promise<Entity[]> {
    return this.database.findRows(this.entity, where, order);
  }

  /** Throws 404. Pass `details` for an id from a body or a query. */
  async get(id: string, details?: { field: string }): Promise<Entity> {
    return (await this.find(id)) ?? throwNotFound(details);
  }

  /** Locks the row until the transaction ends and reads it. */
  async lock(id: string, details?: { field: string }): Promise<Entity> {
    return (await this.findAndLock(id)) ?? throwNotFound(details);
  }

  async findAndLock(id: string): Promise<Entity | null> {
    return this.database.lock(this.entity, id);
  }

  /** Locks the existing rows, in the order of their ids. */
  async lockAll(ids: readonly string[]): Promise<Entity[]> {
    return ids.length === 0 ? [] : this.database.lockAll(this.entity, ids);
  }

  async insert(entity: Entity): Promise<void> {
    await this.database.insert(entity);
  }

  /** Inserts all rows in one round trip. */
  async insertAll(entities: readonly Entity[]): Promise<void> {
    await this.database.together(() => Promise.all(entities.map((entity) => this.database.insert(entity))));
  }

  /**
   * Returns false, and leaves the transaction usable, if a unique key is taken. Waits for a concurrent transaction that has
   * the key and may still roll back.
   */
  async insertUnlessTaken(entity: Entity): Promise<boolean> {
    return this.database.insertUnlessTaken(entity);
  }

  /** Writes all columns of a row that was read under a lock, and raises its version. */
  async update(entity: Entity): Promise<void> {
    await this.database.update(entity);
  }

  /** Updates all rows in one round trip. */
  async updateAll(entities: readonly Entity[]): Promise<void> {
    await this.database.together(() => Promise.all(entities.map((entity) => this.database.update(entity))));
  }

  /** Returns false, and leaves the transaction usable, if a unique key is taken. */
  async updateUnlessTaken(entity: Entity): Promise<boolean> {
    return this.database.updateUnlessTaken(entity);
  }

  /** A query to filter and sort for `page`. */
  query(alias: string): SelectQueryBuilder<Entity> {
    return this.database.repository(this.entity).createQueryBuilder(alias);
  }

  /** Returns a page of the query's results, and the total. Reads only the columns of the entity. */
  async page(query: SelectQueryBuilder<Entity>, bounds: PageBounds): Promise<{ rows: Entity[]; total: number }> {
    const { rows, total } = await this.database.page(query, bounds);
    return { rows: rows.map(({ entity }) => entity), total };
  }

  /** The entities that a statement returns; it selects `columns`. */
  async read(statement: Statement): Promise<Entity[]> {
    const found = await this.database.read(this.entity, statement);
    return found.map(({ entity }) => entity);
  }

  /** The column list for a hand-written SELECT or RETURNING. */
  columns(alias: string): string {
    return this.database.columnsOf(this.entity, alias);
  }
}

function throwNotFound(details?: { field: string }): never {
  throw notFound(details);
}
