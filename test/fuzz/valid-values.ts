import fc from 'fast-check';
import type { Json } from './json.js';
import type { Random } from './random.js';
import { type Document, isAnything, isFree, type Schema } from './schema.js';
import { textOfLength } from './texts.js';

const DAYS = ['1900-01-01', '2000-02-29', '2024-02-29', '2026-12-31', '2199-12-31'];
const INSTANTS = [
  '2000-01-01T00:00:00Z',
  '2030-06-30T23:59:59.999999999Z',
  '2034-12-31T23:59:59+14:00',
  '2031-02-28T12:30:00.5-11:30',
  '2199-12-31T23:59:59.999Z',
  '1900-01-01T00:00:00+00:00',
  '2032-02-29T00:00:00-00:00',
];
const EMAILS = [
  'a@b.co',
  "o'brien+tag@example.museum",
  'UPPER.lower@Example.COM',
  `${'l'.repeat(64)}@example.com`,
  'x@xn--bcher-kva.example',
];
/** Long ones only sometimes: they take more time than they find faults. */
const LONG = 20_000;

/** A value that the schema allows, usually at one of its bounds. */
export function validValue(schema: Schema, random: Random, document: Document): Json {
  const resolved = document.resolve(schema);
  const { type, enum: allowed, example, nullable } = resolved;
  if (nullable && random.chance(0.08)) return null;
  if (example !== undefined && random.chance(0.2)) return example as Json;
  if (allowed) return random.pick(allowed) as Json;
  if (isAnything(resolved)) return freeValue(random, 3);
  if (isFree(resolved)) return freeObject(random, 3);
  if (type === 'string') return validText(resolved, random);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'integer' || type === 'number') return validInteger(resolved, random);
  if (type === 'array') return validList(resolved, random, document);
  return validObject(resolved, random, document);
}

/** A text that matches a pattern, and is no longer than the schema allows, or than 60. */
export function matching(pattern: string, maxLength: number, random: Random): string {
  // Random texts are none of the few that a lookahead excludes, which the library does not support.
  const plain = pattern.replaceAll(/\(\?![^()]*\)/g, '');
  const arbitrary = fc.stringMatching(new RegExp(plain, 'u'), { maxLength: Math.min(maxLength, 60) });
  const [text = ''] = fc.sample(arbitrary, { seed: random.below(2 ** 31), numRuns: 1 });
  return text;
}

function validText({ format, pattern, minLength = 0, maxLength = 100 }: Schema, random: Random): string {
  if (format === 'date') return random.pick(DAYS);
  if (format === 'date-time') return random.pick(INSTANTS);
  if (format === 'email') return random.pick(EMAILS);
  if (pattern !== undefined) return matching(pattern, maxLength, random);
  const longest = maxLength <= LONG || random.chance(0.02) ? maxLength : LONG;
  const lengths = [minLength, minLength + 1, random.between(minLength, Math.min(longest, 40)), longest - 1, longest];
  return textOfLength(random, Math.max(minLength, Math.min(longest, random.pick(lengths))));
}

function validInteger({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema, random: Random): number {
  const values = [minimum, minimum + 1, maximum - 1, maximum, random.between(minimum, Math.min(maximum, 100_000))];
  return Math.max(minimum, Math.min(maximum, random.pick(values)));
}

function validList(schema: Schema, random: Random, document: Document): Json[] {
  const { items = {}, minItems = 0, maxItems = 10, uniqueItems = false } = schema;
  const most = maxItems <= 64 || random.chance(0.05) ? maxItems : 5;
  const length = random.pick([minItems, Math.min(minItems + 1, most), random.between(minItems, most), most]);
  const list = Array.from({ length }, () =>
    validValue({ ...document.resolve(items), nullable: false }, random, document),
  );
  return uniqueItems ? [...new Set(list)] : list;
}

function validObject({ properties = {}, required = [] }: Schema, random: Random, document: Document): Json {
  const members = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.5));
  return Object.fromEntries(members.map(([name, member]) => [name, validValue(member, random, document)]));
}

/** Any object, whose names and texts are unusual but not forbidden. */
function freeObject(random: Random, depth: number): { [name: string]: Json } {
  const names = ['a', 'toString', 'hasOwnProperty', 'valueOf', '', ' ', '0', '-1', 'a.b', '$ref', 'é', '🧳', 'length'];
  const members = Array.from({ length: random.below(5) }, () => [random.pick(names), freeValue(random, depth - 1)]);
  return Object.fromEntries(members) as { [name: string]: Json };
}

function freeValue(random: Random, depth: number): Json {
  const scalars = [null, true, false, 0, -1, 0.1, 1e21, 5e-324, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, ''];
  if (depth > 0 && random.chance(0.3)) return freeObject(random, depth);
  if (depth > 0 && random.chance(0.2)) {
    return Array.from({ length: random.below(4) }, () => freeValue(random, depth - 1));
  }
  return random.chance(0.6) ? random.pick(scalars) : textOfLength(random, random.below(30));
}
