import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../errors/app-error.js';
import { scanJson } from './json-scan.js';

/** Code and path of the issue; null for a valid text. */
function issueOf(text: string): unknown {
  try {
    scanJson(Buffer.from(text));
    return null;
  } catch (error) {
    return error instanceof AppError ? (error.details?.['issues'] as unknown[])[0] : error;
  }
}

function codeOf(text: string): unknown {
  const issue = issueOf(text);
  return issue === null ? null : (Reflect.get(Object(issue) as object, 'code') as unknown);
}

/** The number of bytes that the scanner reads, so that a limit can be measured without a clock. */
function bytesRead(text: string): number {
  let reads = 0;
  const bytes = new Proxy(Buffer.from(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  try {
    scanJson(bytes);
  } catch {
    // The bytes that were read so far count.
  }
  return reads;
}

describe('the scanner of JSON texts', () => {
  it('the scanner accepts the output of JSON.stringify for values that a double can represent', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noInteger: true }),
      fc.constant(null),
    );
    const nested = fc.object({ key: fc.string(), values: [scalar], maxDepth: 5 });
    fc.assert(fc.property(nested, (value) => codeOf(JSON.stringify(value)) === null));
  });

  it.each([
    ...['9007199254740993', '-9007199254740993', '1e400', '[1, 18446744073709551616]', '9007199254740993.0'],
    ...['9007199254740993e0', '90071992547409930e-1', '-9007199254740990.6', '25000.00000000000001', '1.5e-400'],
  ])('the scanner rejects the number in %s, which a double would change', (text) =>
    expect(codeOf(text)).toBe('inexact_number'),
  );
  it.each([
    ...['9007199254740991', '-9007199254740991', '9007199254740991.0', '0.1', '0.10000000000000001', '1e22', '-0'],
    ...['0.0', '-0.00e5', '12.50e1', '1200e-2', '1E+2', '5e-324', '1.7976931348623157e308'],
  ])('the scanner accepts the number %s', (text) => expect(codeOf(text)).toBeNull());

  it('the scanner accepts every double in every notation', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(fc.property(double, (value) => codeOf(value.toExponential()) === null));
    const moderate = fc.double({ noNaN: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 });
    fc.assert(fc.property(moderate, (value) => codeOf(value.toPrecision(17)) === null));
  });

  it.each(['{"a":1,"a":1}', '[{"b":{"a":{}, "c":[], "\\u0061" : 2}}]', '{"a":{"a":1},"b":[{"a":1}],"a":null}'])(
    'the scanner rejects a duplicate member: %s',
    (text) => expect(issueOf(text)).toEqual({ path: 'a', message: 'Duplicate member', code: 'duplicate_member' }),
  );

  it('the scanner accepts a name once in each object, and as text anywhere', () => {
    expect(codeOf('{"a":{"a":"a"},"b":[{"a":"b:"},{"a":1}],"":0,"c":":"}')).toBeNull();
  });

  it('the scanner ignores numbers and brackets inside strings', () => {
    expect(codeOf(JSON.stringify({ text: `9007199254740993 \\" ${'['.repeat(100)}` }))).toBeNull();
  });

  it('the scanner rejects nesting beyond 32 levels at any depth', () => {
    expect(codeOf('['.repeat(32) + ']'.repeat(32))).toBeNull();
    expect(codeOf('['.repeat(33) + ']'.repeat(33))).toBe('too_deep');
    expect(codeOf('['.repeat(50_000))).toBe('too_deep');
  });

  const listOf = (count: number, element: string) => `[${Array.from({ length: count }, () => element).join(',')}]`;
  const objectOf = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;

  it.each([
    ['an array of more than 10,000 elements', listOf(10_001, '{}'), 'too_many'],
    ['more than 25,000 values', listOf(3, listOf(9_000, '1')), 'too_many_values'],
    ['more than 25,000 literals', listOf(3, listOf(9_000, 'null')), 'too_many_values'],
    ['more than 20,000 arrays and objects', listOf(3, listOf(7_000, '{}')), 'too_many_structures'],
    ['an object of more than 1,000 members', objectOf(1_001), 'too_many_members'],
    ['a key of more than 1,024 characters', `{"${'k'.repeat(1_025)}":1}`, 'name_too_long'],
    ['a string of more than 524,288 characters', `"${'x'.repeat(524_289)}"`, 'too_long'],
    ['a string of more than 524,288 escape sequences', `"${'\\u0041'.repeat(524_289)}"`, 'too_long'],
    ['a number of more than 400 characters', `1.${'0'.repeat(399)}`, 'number_too_long'],
  ])('the scanner rejects %s', (_what, text, code) => expect(codeOf(text)).toBe(code));

  it.each([
    ['10,000 elements', listOf(10_000, '{}')],
    ['20,000 values', listOf(2, listOf(9_999, '1'))],
    ['1,000 members', objectOf(1_000)],
    ['a key of 1,024 characters', `{"${'🧳'.repeat(1_024)}":1}`],
    ['524,288 characters in twice as many bytes', `"${'é'.repeat(524_288)}"`],
    ['a string that ends with an escaped quote', `["${'x'.repeat(100)}\\"", "\\\\"]`],
    ['a number of 400 characters', `1.${'0'.repeat(398)}`],
  ])('the scanner accepts %s', (_what, text) => expect(codeOf(text)).toBeNull());

  it('the scanner stops at a limit instead of reading on', () => {
    expect(bytesRead(`1.${'0'.repeat(60_000)}1e5`)).toBeLessThan(1_000);
    expect(bytesRead(`{"${'k'.repeat(60_000)}":1}`)).toBeLessThan(2_500);
    expect(bytesRead(`[${'{},'.repeat(60_000)}{}]`)).toBeLessThan(100_000);
  });

  it('the scanner reads each byte a bounded number of times, also in an invalid text', () => {
    for (const text of [
      `{"${'k'.repeat(1_000)}"${':'.repeat(50_000)}`,
      `[${'"'.repeat(50_000)}`,
      '\\'.repeat(50_000),
    ]) {
      expect(bytesRead(text)).toBeLessThan(4 * text.length);
    }
  });

  it('the scanner leaves broken JSON to the parser', () => {
    expect(codeOf('{"a": "unterminated')).toBeNull();
    expect(codeOf('-')).toBeNull();
  });
});
