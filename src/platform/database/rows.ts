import type { EntityTarget, ObjectLiteral } from 'typeorm';

/** The columns of an entity, without its methods. */
export type Columns<Entity> = {
  [K in keyof Entity as Entity[K] extends (...args: never[]) => unknown ? never : K]: Entity[K];
};

/** A row that may be changed later: it has a version, which every change raises. */
export interface Versioned extends ObjectLiteral {
  id: string;
  version: number;
}

/** A new entity with every one of its columns; the compiler counts them. */
export function make<Entity extends object>(entity: new () => Entity, columns: Columns<Entity>): Entity {
  return Object.assign(new entity(), columns);
}

/** The class that an entity was made of, by which TypeORM knows its table. */
export function targetOf<Entity extends ObjectLiteral>(entity: Entity): EntityTarget<Entity> {
  return entity.constructor;
}
