import { plainText } from '../fields/plain-text.js';
import type { Field, Fields } from '../fields/registry.js';
import type { Scalar } from './columns.js';
import { departuresOf } from './departures.js';
import type { IndexedDocument } from './search-index.js';

/** A document as customers may see it at an instant. */
export interface ShownDocument {
  readonly seq: number;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** How long the text of its fields is. */
  readonly length: number;
  /** When it will look otherwise without anybody's doing: a departure is past then. Milliseconds, or Infinity. */
  readonly until: number;
}

/** Null for a document that customers do not find. */
export function shownDocument(document: IndexedDocument, registry: Fields, now: number): ShownDocument | null {
  const parsed: unknown = JSON.parse(document.fields);
  if (document.deleted || typeof parsed !== 'object' || parsed === null) return null;
  const given = new Map<string, unknown>(Object.entries(parsed));
  if ((given.get('status') ?? 'active') !== 'active') return null;

  if (!given.get('createdAt')) given.set('createdAt', new Date(document.createdAt).toISOString());
  if (!given.get('updatedAt')) given.set('updatedAt', new Date(document.updatedAt).toISOString());
  const departures = departuresOf(given, now);
  for (const [name, value] of Object.entries(departures.fields)) given.set(name, value);
  const visible = [...given].filter(([name, value]) => registry.get(name)?.visible === true && value !== null);
  const fields = Object.fromEntries(visible.map(([name, value]) => [name, shown(value)]));
  const { seq, id } = document;
  return { seq, id, fields, length: document.fields.length, until: departures.until };
}

/** The values of a field, of its own type. */
export function scalarsOf(field: Field, value: unknown): Scalar[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  switch (field.type) {
    case 'integer':
    case 'number':
      return values.filter((one) => typeof one === 'number');
    case 'boolean':
      return values.filter((one) => typeof one === 'boolean');
    case 'text':
    case 'day':
    case 'instant':
    case 'moment':
    case 'texts':
    case 'days':
      return values.filter((one) => typeof one === 'string');
  }
}

export function textOf(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

export function numberOf(fields: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? value : null;
}

export function textsOf(fields: Readonly<Record<string, unknown>>, name: string): string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  return Array.isArray(value) ? value.map(shown) : value;
}
