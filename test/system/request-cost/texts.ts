import type { Json } from '../../fuzz/json.js';
import { Raw } from '../../fuzz/json.js';
import { Random } from '../../fuzz/random.js';
import type { Schema } from '../../fuzz/schema.js';
import { matching } from '../../fuzz/valid-values.js';

/** Nearly the limits of the service for one body (json-scan.ts). */
export const MOST = { elements: 9_990, members: 990, structures: 19_900, values: 49_900, depth: 31, digits: 398 };

/** Characters that become more or different ones when text is normalised, folded or compared. */
export const GROWING: Readonly<Record<string, string>> = {
  'U+FDFA': '\ufdfa',
  'U+0130': '\u0130',
  'combining marks': `a${'\u0301\u0323'.repeat(15)}`,
  zalgo: 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324',
  ligatures: '\ufb03\u1e9e\u2168',
};

/** This number of bytes of UTF-8, or slightly fewer. */
export function filled(unit: string, bytes: number): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
}

/**
 * Starts like a text that the schema allows, and becomes invalid at its end: the worst case of a backtracking pattern.
 */
export function nearMisses({ pattern, format, example }: Schema, bytes: number): string[] {
  if (format === 'date') return [filled('2026-01-01', bytes)];
  if (format === 'date-time')
    return [`2026-01-01T00:00:00.${'0'.repeat(bytes)}`, `2026-01-01T00:00:00${filled('+01:00', bytes)}`];
  if (format === 'email') return [`a@${filled('a.', bytes)}`, `${filled('a.', bytes)}@`, `"${filled('\\"', bytes)}`];
  if (format === 'uri') return [`https://${filled('a.', bytes)}`, `https://a/${filled('%', bytes)}`];
  if (pattern === undefined) return [];
  const sample = typeof example === 'string' && new RegExp(pattern, 'u').test(example) ? example : sampleOf(pattern);
  const [first = 'a'] = sample;
  return [`${filled(sample || 'a', bytes)}!`, `${filled(first, bytes)}\n`, `${filled(`${first}-`, bytes)}\0`];
}

function sampleOf(pattern: string, seed = 'sample'): string {
  return matching(pattern, 40, new Random(seed));
}

/** `count` JSON texts, joined as elements of an array; written directly, because 50,000 values take long to build. */
export function arrayOf(count: number, element: (index: number) => string): Json {
  return new Raw(`[${Array.from({ length: count }, (_, index) => element(index)).join(',')}]`);
}

export function objectOf(count: number, member: (index: number) => string): Json {
  return new Raw(`{${Array.from({ length: count }, (_, index) => member(index)).join(',')}}`);
}

export function nested(depth: number, kind: 'arrays' | 'objects'): Json {
  return new Raw(
    kind === 'arrays' ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  );
}
