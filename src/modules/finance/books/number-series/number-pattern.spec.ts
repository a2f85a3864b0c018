import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  assertShape,
  frameOf,
  type NumberShape,
  periodKeyOf,
  renderNumber,
  RESET_PERIODS,
  type ResetPeriod,
} from './number-pattern.js';

const number = (pattern: string, day: string, sequence: number) =>
  renderNumber(frameOf({ prefix: 'INV-', pattern }, day), sequence);

function issuesOf(shape: Partial<NumberShape>, nextNumber = 1): unknown {
  try {
    assertShape({ prefix: '', pattern: '{SEQ}', resetPeriod: 'never', ...shape }, nextNumber);
    return [];
  } catch (error) {
    const { details } = error as { details: { issues: { path: string; code: string }[] } };
    return details.issues.map(({ path, code }) => `${path} ${code}`);
  }
}

describe('a number', () => {
  it.each([
    ['{prefix}{SEQ:4}', 1, 'INV-0001'],
    ['{prefix}{SEQ:4}', 12_345, 'INV-12345'],
    ['{prefix}{SEQ}', 7, 'INV-7'],
    ['{prefix}{YYYY}-{SEQ:4}', 42, 'INV-2027-0042'],
    ['{YY}{MM}/{SEQ:6}/{prefix}', 42, '2703/000042/INV-'],
    ['{SEQ:12}', 999_999_999_999, '999999999999'],
    ['No. {SEQ:01} of {YYYY}', 3, 'No. 3 of 2027'],
  ])('the number of %s with %i is %s', (pattern, sequence, expected) => {
    expect(number(pattern, '2027-03-31', sequence)).toBe(expected);
  });

  it('the prefix is literal text, even if it looks like a token', () => {
    const frame = frameOf({ prefix: '{SEQ}{YYYY}$&', pattern: '{prefix}{SEQ}' }, '2027-03-31');
    expect(renderNumber(frame, 5)).toBe('{SEQ}{YYYY}$&5');
  });

  it('the issue date decides the counter of a number', () => {
    expect(RESET_PERIODS.map((period) => periodKeyOf(period, '2026-12-31'))).toEqual(['all', '2026', '2026-12']);
    expect(RESET_PERIODS.map((period) => periodKeyOf(period, '2027-01-01'))).toEqual(['all', '2027', '2027-01']);
  });
});

describe('a pattern', () => {
  it.each([
    ['no sequence', '{prefix}', ['pattern series_sequence_token_required']],
    ['two sequences', '{SEQ}{SEQ:4}', ['pattern series_sequence_token_required']],
    ['an unknown token', '{DD}{SEQ}', ['pattern series_token_unknown']],
    ['a token of other case', '{yyyy}{SEQ}', ['pattern series_token_unknown']],
    ['too many digits', '{SEQ:13}', ['pattern series_token_unknown', 'pattern series_sequence_token_required']],
    ['no digits', '{SEQ:0}', ['pattern series_token_unknown', 'pattern series_sequence_token_required']],
    ['a brace alone', '{SEQ', ['pattern series_token_unknown', 'pattern series_sequence_token_required']],
    ['a closing brace alone', '{SEQ}}', ['pattern series_token_unknown']],
    ['more than 50 characters', `${'x'.repeat(50)}{SEQ}`, ['pattern series_number_too_long']],
  ])('a pattern with %s is rejected', (_, pattern, issues) => expect(issuesOf({ pattern })).toEqual(issues));

  it.each<[ResetPeriod, string, boolean]>([
    ['never', '{SEQ}', true],
    ['yearly', '{SEQ}', false],
    ['yearly', '{MM}{SEQ}', false],
    ['yearly', '{YY}{SEQ}', true],
    ['yearly', '{YYYY}{SEQ}', true],
    ['monthly', '{YYYY}{SEQ}', false],
    ['monthly', '{MM}{SEQ}', false],
    ['monthly', '{YY}{MM}{SEQ}', true],
  ])('the reset period %s with the pattern %s: %s', (resetPeriod, pattern, isGood) => {
    expect(issuesOf({ resetPeriod, pattern })).toEqual(isGood ? [] : ['pattern series_period_token_required']);
  });

  it('the maximum length includes the digits of the next number', () => {
    const pattern = `${'x'.repeat(46)}{SEQ:4}`;
    expect(issuesOf({ pattern }, 9_999)).toEqual([]);
    expect(issuesOf({ pattern }, 10_000)).toEqual(['pattern series_number_too_long']);
  });
});

describe('the numbers of a valid series', () => {
  const text = fc.string({ maxLength: 8, unit: fc.constantFrom('A', '-', '/', '0', '7', ' ', 'é') });
  const shape = fc
    .record({
      prefix: text,
      resetPeriod: fc.constantFrom(...RESET_PERIODS),
      parts: fc.shuffledSubarray(['{prefix}', '{YYYY}', '{YY}', '{MM}']),
      sequence: fc.oneof(
        fc.constant('{SEQ}'),
        fc.integer({ min: 1, max: 12 }).map((digits) => `{SEQ:${digits}}`),
      ),
      place: fc.nat({ max: 4 }),
      literal: text,
    })
    .map(({ parts, sequence, place, literal, ...rest }) => {
      const pattern = [...parts.slice(0, place), sequence, literal, ...parts.slice(place)].join('');
      return { ...rest, pattern };
    })
    .filter((made) => (issuesOf(made, 999_999) as string[]).length === 0);
  const day = fc
    .record({ year: fc.integer({ min: 2000, max: 2099 }), month: fc.integer({ min: 1, max: 12 }) })
    .map(({ year, month }) => `${year}-${String(month).padStart(2, '0')}-15`);
  const given = fc.record({ day, sequence: fc.integer({ min: 1, max: 999_999 }) });

  it('numbers of different periods or sequences differ', () => {
    // Uses small ranges, so that many pairs are nearly equal.
    const near = fc.record({ year: fc.integer({ min: 2009, max: 2012 }), month: fc.integer({ min: 9, max: 12 }) });
    const close = fc.record({ near, sequence: fc.integer({ min: 1, max: 130 }) }).map(({ near: found, sequence }) => {
      return { day: `${found.year}-${String(found.month).padStart(2, '0')}-15`, sequence };
    });
    fc.assert(
      fc.property(shape, close, close, (made, one, other) => {
        const key = (it: typeof one) => `${periodKeyOf(made.resetPeriod, it.day)} ${it.sequence}`;
        const render = (it: typeof one) => renderNumber(frameOf(made, it.day), it.sequence);
        expect(render(one) === render(other) && key(one) !== key(other)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it('numbers have the given minimum of digits and the whole sequence', () => {
    fc.assert(
      fc.property(shape, given, (made, { day: issued, sequence }) => {
        const frame = frameOf(made, issued);
        const digits = renderNumber(frame, sequence).slice(frame.before.length);
        const middle = digits.slice(0, digits.length - frame.after.length);
        expect(middle.length).toBe(Math.max(frame.digits, String(sequence).length));
        expect(Number(middle)).toBe(sequence);
      }),
    );
  });
});
