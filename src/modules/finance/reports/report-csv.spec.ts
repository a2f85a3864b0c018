import { describe, expect, it } from '@jest/globals';
import * as numbering from './numbering-report.js';
import * as openAmounts from './open-amount-reports.js';
import * as periods from './period-reports.js';
import { csvHeader, csvRows } from './report-csv.js';
import { decimalOf } from '../../../platform/money/money.js';

const COLUMNS = { name: 'text', currency: 'text', days: 'count', openCents: 'cents' } as const;

describe('a report as CSV', () => {
  it('each amount has a column with minor units and one with the decimal number', () => {
    expect(csvHeader(COLUMNS)).toBe('name,currency,days,openCents,open\r\n');
    expect(csvRows(COLUMNS, [{ name: 'Ada', currency: 'EUR', days: -3, openCents: '-5900' }])).toBe(
      'Ada,EUR,-3,-5900,-59.00\r\n',
    );
  });

  it.each([
    ['5', 'EUR', '0.05'],
    ['-5', 'EUR', '-0.05'],
    ['10001', 'JPY', '10001'],
    ['12345', 'KWD', '12.345'],
    ['9007199254740991', 'EUR', '90071992547409.91'],
  ])('%s minor units of %s are %s', (cents, currency, text) => expect(decimalOf(cents, currency)).toBe(text));

  it('a line begins with a text, which no report lets anybody choose as a number', () => {
    const exported = Object.values({ ...numbering, ...openAmounts, ...periods });
    const kinds = exported.flatMap((one) =>
      typeof one === 'object' && 'columns' in one ? [Object.values(one.columns)[0]] : [],
    );
    expect(kinds.length).toBeGreaterThan(7);
    expect(new Set(kinds)).toEqual(new Set(['text']));
  });

  it('an absent value is an empty cell', () => {
    expect(csvRows(COLUMNS, [{ name: null, currency: 'EUR', days: 0, openCents: null }])).toBe(',EUR,0,,\r\n');
  });
});
