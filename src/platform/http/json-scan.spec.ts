import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanJson } from './json-scan.js';

const codeOf = (text: string) => scanJson(Buffer.from(text))?.code ?? null;

describe('JSON before it is parsed', () => {
  it('passes whatever JSON.stringify writes of values that a double keeps', () => {
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
  ])('refuses the number in %s, which a double would change', (text) => expect(codeOf(text)).toBe('unsafeNumber'));
  it.each([
    ...['9007199254740991', '-9007199254740991', '9007199254740991.0', '0.1', '0.10000000000000001', '1e22', '-0'],
    ...['0.0', '-0.00e5', '12.50e1', '1200e-2', '1E+2', '5e-324', '1.7976931348623157e308'],
  ])('keeps the number %s', (text) => expect(codeOf(text)).toBeNull());

  it('keeps every double in whatever way it is written', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(fc.property(double, (value) => codeOf(value.toExponential()) === null));
    const moderate = fc.double({ noNaN: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 });
    fc.assert(fc.property(moderate, (value) => codeOf(value.toPrecision(17)) === null));
  });

  it.each(['{"a":1,"a":1}', '[{"b":{"a":{}, "c":[], "\\u0061" : 2}}]', '{"a":{"a":1},"b":[{"a":1}],"a":null}'])(
    'refuses a member that is there twice: %s',
    (text) => expect(scanJson(Buffer.from(text))).toMatchObject({ path: 'a', code: 'duplicateMember' }),
  );

  it('takes a name once in each object, and as text wherever it is', () => {
    expect(codeOf('{"a":{"a":"a"},"b":[{"a":"b:"},{"a":1}],"":0,"c":":"}')).toBeNull();
  });

  it('looks past numbers and brackets inside strings', () => {
    expect(codeOf(JSON.stringify({ text: `9007199254740993 \\" ${'['.repeat(100)}` }))).toBeNull();
  });

  it('refuses nesting beyond 32 levels, however deep', () => {
    expect(codeOf('['.repeat(32) + ']'.repeat(32))).toBeNull();
    expect(codeOf('['.repeat(33) + ']'.repeat(33))).toBe('maxDepth');
    expect(codeOf('['.repeat(50_000))).toBe('maxDepth');
  });

  it('refuses more than 50,000 values', () => {
    expect(codeOf(`[${'1,'.repeat(60_000)}1]`)).toBe('maxValues');
  });

  it('leaves broken JSON to the parser', () => {
    expect(codeOf('{"a": "unterminated')).toBeNull();
    expect(codeOf('-')).toBeNull();
  });
});
