import 'reflect-metadata';
import type { Class } from './columns.js';

const UNAUDITED = Symbol('unaudited');
const DERIVED = Symbol('derived');

/** States why the audit snapshot omits a column, or why an entity has no snapshot. No reversal restores such a column. */
export function Unaudited(reason: string) {
  return (target: object, property?: string | symbol): void => {
    define(UNAUDITED, reason, target, property);
  };
}

/** Names the sources of a computed column; the audit snapshot omits it, and a reversal recomputes it. */
export function Derived(from: string): PropertyDecorator {
  return (target, property) => {
    define(DERIVED, from, target, property);
  };
}

/** Returns the reason why the audit snapshot omits a column of this entity; null if it contains the column. */
export function omissionOf(entity: Class, column: string): { reason: string; isDerived: boolean } | null {
  const prototype = entity.prototype as object;
  const derived = textOf(Reflect.getMetadata(DERIVED, prototype, column));
  if (derived !== null) return { reason: derived, isDerived: true };
  const ofColumn = textOf(Reflect.getMetadata(UNAUDITED, prototype, column));
  const reason = ofColumn ?? textOf(Reflect.getMetadata(UNAUDITED, entity));
  return reason === null ? null : { reason, isDerived: false };
}

function textOf(metadata: unknown): string | null {
  return typeof metadata === 'string' ? metadata : null;
}

function define(key: symbol, text: string, target: object, property: string | symbol | undefined): void {
  if (property === undefined) Reflect.defineMetadata(key, text, target);
  else Reflect.defineMetadata(key, text, target, property);
}
