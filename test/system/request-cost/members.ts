import { isObject, type Json, withMember } from '../../fuzz/json.js';
import { Random } from '../../fuzz/random.js';
import { type Document, isAnything, isFree, type Schema } from '../../fuzz/schema.js';
import { matching } from '../../fuzz/valid-values.js';
import { filled } from './texts.js';

const DEEPEST = 6;

/** The path of a member in a body: names, and 0 for the first element of an array. */
export type Place = readonly (string | 0)[];

export interface Member {
  readonly place: Place;
  readonly schema: Schema;
}

/** The schema itself, without references and without an `allOf` around a single one. */
function plainOf(schema: Schema, document: Document): Schema {
  const resolved = document.resolve(schema);
  const [only] = resolved.allOf ?? [];
  return only === undefined ? resolved : plainOf(only, document);
}

/** Returns every member of a body, including members of array elements. */
export function membersOf(schema: Schema, document: Document, place: Place = []): Member[] {
  const own = plainOf(schema, document);
  const found: Member[] = place.length === 0 ? [] : [{ place, schema: own }];
  if (place.length > DEEPEST) return found;
  if (own.items) found.push(...membersOf(own.items, document, [...place, 0]));
  for (const [name, member] of Object.entries(own.properties ?? {})) {
    found.push(...membersOf(member, document, [...place, name]));
  }
  return found;
}

/** The body with another value at a path; missing parents are created. */
export function withValueAt(body: Json | undefined, [step, ...rest]: Place, value: Json): Json {
  if (step === undefined) return value;
  if (step === 0) {
    const list = Array.isArray(body) ? body : [];
    return [withValueAt(list[0], rest, value), ...list.slice(1)];
  }
  const object = isObject(body) ? body : {};
  return withMember(object, step, withValueAt(object[step], rest, value));
}

export function valueAt(body: Json | undefined, [step, ...rest]: Place): Json | undefined {
  if (step === undefined) return body;
  if (step === 0) return Array.isArray(body) ? valueAt(body[0], rest) : undefined;
  return isObject(body) ? valueAt(body[step], rest) : undefined;
}

export function isFreeForm(schema: Schema): boolean {
  return isFree(schema) || isAnything(schema);
}

/**
 * The largest value of about this number of bytes that the schema allows; texts consist of `unit` if no form is
 * required.
 */
export function largestValue(schema: Schema, around: { document: Document; bytes: number; unit: string }): Json {
  const { document, bytes, unit } = around;
  const own = plainOf(schema, document);
  if (own.enum) return own.enum[0] as Json;
  if (isFreeForm(own)) return largestFreeObject(bytes, unit);
  if (own.type === 'array') {
    const { items = {}, maxItems = 10, minItems = 0 } = own;
    const share = Math.floor(bytes / maxItems);
    const count = Math.max(minItems, Math.min(maxItems, Math.floor(bytes / 8)));
    return Array.from({ length: count }, (_, index) => largestElement(items, { ...around, bytes: share }, index));
  }
  if (own.properties) {
    const members = Object.entries(own.properties);
    const share = Math.floor(bytes / members.length);
    return Object.fromEntries(
      members.map(([name, member]) => [name, largestValue(member, { ...around, bytes: share })]),
    );
  }
  if (own.type === 'string') return largestText(own, bytes, unit);
  return (own.example ?? own.minimum ?? true) as Json;
}

/** Elements differ where they can, because equal ones may be rejected as duplicates. */
function largestElement(
  schema: Schema,
  around: { document: Document; bytes: number; unit: string },
  index: number,
): Json {
  const own = plainOf(schema, around.document);
  if (own.type !== 'string' || own.enum) return largestValue(own, around);
  if (own.pattern !== undefined) return matching(own.pattern, own.maxLength ?? 40, new Random(`element ${index}`));
  return `${index} ${largestText({ ...own, maxLength: (own.maxLength ?? 40) - 6 }, around.bytes, around.unit)}`;
}

function largestText({ maxLength = 100, pattern, format, example }: Schema, bytes: number, unit: string): string {
  if (typeof example === 'string' && (pattern !== undefined || format !== undefined)) return example;
  if (format === 'date') return '2026-12-31';
  if (format === 'date-time') return '2034-12-31T23:59:59+14:00';
  if (format === 'email') return `${'l'.repeat(64)}@example.com`;
  if (pattern !== undefined) return matching(pattern, maxLength, new Random('text'));
  return [...filled(unit, Math.min(bytes, 4 * maxLength))].slice(0, maxLength).join('');
}

/** Below the limits of free-form members: 1,000 names, and for most 16 KiB. */
function largestFreeObject(bytes: number, unit: string): Json {
  const count = Math.max(1, Math.min(900, Math.floor(Math.min(bytes, 15_000) / 16)));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, unit.slice(0, 4)]));
}
