import { describe, expect, it } from '@jest/globals';
import { csvHeader, csvRows, decimal } from './report-csv.js';

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
  ])('%s minor units of %s are %s', (cents, currency, text) => expect(decimal(cents, currency)).toBe(text));

  it.each([
    ['=1+2', "'=1+2"],
    ['+49 30', "'+49 30"],
    ['-x', "'-x"],
    ['@sum', "'@sum"],
    ['\tx', "'\tx"],
    ['a "b", c', '"a ""b"", c"'],
    ['two\r\nlines', '"two\r\nlines"'],
  ])('the text %j becomes the cell %j', (text, cell) => {
    expect(csvRows({ name: 'text' }, [{ name: text }])).toBe(`${cell}\r\n`);
  });

  it('an absent value is an empty cell', () => {
    expect(csvRows(COLUMNS, [{ name: null, currency: 'EUR', days: 0, openCents: null }])).toBe(',EUR,0,,\r\n');
  });
});
