import { type Json, Raw } from './json.js';
import type { Random } from './random.js';
import { isAnything, isFree, type Schema } from './schema.js';
import { hostileText } from './texts.js';

/** Numbers that a double cannot represent, or that are not numbers. They reveal a parser that rounds them. */
const NUMBERS = [
  new Raw('9007199254740992'),
  new Raw('-9007199254740993'),
  new Raw('123456789012345678901234567890'),
  new Raw('1e400'),
  new Raw('-1e400'),
  new Raw('1.5'),
  new Raw('1e-7'),
  new Raw('2147483648'),
];
const DAYS = [
  ...['2024-02-30', '2023-02-29', '2026-13-01', '2026-00-10', '2026-01-00', '0000-01-01', '10000-01-01', '1899-12-31'],
  ...['2200-01-01', 'infinity', '-infinity', 'today', 'now', 'epoch', '2026-1-1', '20260101', '2026-01-01T00:00:00Z'],
  ...['2026-01-01 BC', ' 2026-01-01', '2026-W01-1', '٢٠٢٦-٠١-٠١', ''],
];
const INSTANTS = [
  ...['2026-12-31T23:59:60Z', '2026-01-01T24:00:00Z', '2026-01-01T00:00:00+99:99', '2026-01-01T00:00:00+24:00'],
  ...['2026-01-01T00:00:00', '2026-01-01', '2024-02-30T00:00:00Z', '10000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z'],
  ...['+275760-09-13T00:00:00Z', 'infinity', 'now', '2026-01-01 00:00:00Z', '2026-01-01T00:00:00z ', '1767225600', ''],
];
const EMAILS = ['a', 'a@', '@b.co', 'a@b', 'a b@example.com', 'a@b..co', 'a@exam ple.com', `${'l'.repeat(250)}@b.co`];

/** Returns a value that the schema does not allow, usually one step beyond a bound; null if the schema allows everything. */
export function faultyValue(schema: Schema, random: Random): Json | null {
  const candidates = [...ofOtherType(schema), ...beyondBounds(schema, random)];
  return candidates.length === 0 ? null : random.pick(candidates);
}

function ofOtherType(schema: Schema): Json[] {
  const { type, nullable } = schema;
  if (isAnything(schema)) return [];
  // A list, so that null can be one of the candidates that are returned.
  const others: Json[] = nullable ? [] : [new Raw('null')];
  if (type !== 'string') others.push('1', 'true', '');
  if (type !== 'boolean') others.push(true, false);
  if (type === 'number') others.push(...NUMBERS.filter(({ text }) => Number(text) > (schema.maximum ?? 0)));
  else if (type !== 'integer') others.push(0, 1, ...NUMBERS);
  else others.push(...NUMBERS.filter(({ text }) => Number(text) > (schema.maximum ?? 0) || /[.e]/.test(text)));
  if (type !== 'array') others.push([], [[]], ['a']);
  if (type !== 'object') others.push({}, { length: 1 }, { toString: 'a' });
  return others;
}

function beyondBounds(schema: Schema, random: Random): Json[] {
  const { type, format, enum: allowed, pattern, minLength, maxLength, minItems, maxItems, minimum, maximum } = schema;
  if (isFree(schema) || isAnything(schema)) return [];
  if (allowed)
    return ['', 'unknown', `${String(allowed[0])} `, String(allowed[0]).toUpperCase(), `${String(allowed[0])}\0`];
  if (format === 'date') return DAYS;
  if (format === 'date-time') return INSTANTS;
  if (format === 'email') return EMAILS;
  const values: Json[] = [];
  if (type === 'string') {
    if (minLength) values.push('a'.repeat(minLength - 1));
    if (maxLength !== undefined) values.push('a'.repeat(maxLength + 1), '🧳'.repeat(maxLength + 1));
    if (pattern !== undefined) values.push(...misfits(pattern));
  }
  if (type === 'integer' || type === 'number') {
    if (minimum !== undefined) values.push(new Raw(String(BigInt(minimum) - 1n)));
    if (maximum !== undefined) values.push(new Raw(String(BigInt(maximum) + 1n)));
  }
  if (type === 'array') {
    if (minItems) values.push([]);
    if (maxItems !== undefined) values.push(Array.from({ length: maxItems + 1 }, () => random.pick(['a', 1, {}])));
    values.push([null], [[]], [new Raw('1e400')]);
  }
  return values;
}

/** Returns texts that hardly any pattern allows, without texts that match this one. */
function misfits(pattern: string): string[] {
  const form = new RegExp(pattern, 'u');
  const texts = [
    'é',
    'a\n',
    '\n',
    'a b',
    'A'.repeat(3) + '\0',
    '日本',
    '%',
    "'",
    '\u202e',
    'ａｂｃ',
    '🧳',
    '[',
    '0.0.0',
  ];
  return texts.filter((text) => !form.test(text.trim()));
}

/** A value that may or may not be allowed, and that often causes errors. */
export function hostileValue(random: Random): Json {
  if (random.chance(0.7)) return hostileText(random);
  const nested = (levels: number, open: string, close: string) => new Raw(open.repeat(levels) + close.repeat(levels));
  return random.pick<Json>([
    ...NUMBERS,
    -0,
    new Raw('0e0'),
    new Raw('1E2'),
    new Raw('-0.0'),
    nested(5, '[', ']'),
    nested(31, '[', ']'),
    nested(32, '[', ']'),
    nested(40, '[', ']'),
    nested(20_000, '[', ']'),
    new Raw(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`),
    new Raw(`{${Array.from({ length: 1_001 }, (_, n) => `"k${n}":${n}`).join(',')}}`),
    new Raw(`[${'1,'.repeat(50_001)}1]`),
    new Raw('{"__proto__":{"isAdmin":true}}'),
    new Raw('{"constructor":{"prototype":{"isAdmin":true}}}'),
    new Raw('{"a":1,"a":2}'),
    new Raw('"\\ud83d"'),
    new Raw('"\\u0000"'),
    new Raw('{"\\ud800":1}'),
    new Raw('{"\\u0000":1}'),
    new Raw('{"toString":1,"valueOf":2,"then":3}'),
  ]);
}
