import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvLines } from './csv.js';

const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;
const NUMBER = /^-\d+(\.\d+)?$/;

it.each([
  ['=1+2', "'=1+2"],
  ['+49 30', "'+49 30"],
  ['-x', "'-x"],
  ['@sum', "'@sum"],
  ['＝1', "'＝1"],
  ['\tx', "'\tx"],
  [' =1', " '=1"],
  ['a;=1', "a;'=1"],
  ['a; "=1', `"a; ""'=1"`],
  ['a\r\n-b', `"a\r\n'-b"`],
  ['a\nb', '"a\nb"'],
  ['-5', '-5'],
  ['2026-01-31', '2026-01-31'],
  ['a-b=c', 'a-b=c'],
  ['a "b", c', '"a ""b"", c"'],
])('the text %j becomes the cell %j', (text, cell) => expect(csvLines([[text]])).toBe(`${cell}\r\n`));

it('numbers, truth values and absent values are written as they are', () => {
  expect(csvLines([[-1, 2n, true, null, undefined, '']])).toBe('-1,2,true,,,\r\n');
});

it('no text begins a cell with a formula, neither between commas nor where a spreadsheet separates cells by semicolons or tabs', () => {
  const character = fc.constantFrom(...'=+-@;,\t\r\n" \'aé1＝');
  const text = fc.string({ unit: character, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      // The first cell of a line is a text that nobody chooses, as an id.
      const line = csvLines([['id', ...texts]]);
      const pieces = line.slice('id'.length).split(/[;\t\r\n]/);
      // Between commas, each cell is read as RFC 4180 says.
      const cells = cellsOf(line);
      const isFormula = (piece: string) => FORMULA.test(piece) && !NUMBER.test(piece.trim());
      return cells.length === texts.length + 1 && ![...cells, ...pieces].some(isFormula);
    }),
    { numRuns: 5_000 },
  );
});

it('only this file writes CSV', () => {
  const writers = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(?<!\.spec)\.ts$/.test(file) && readFileSync(join('src', file), 'utf8').includes(`from 'csv-stringify`),
  );
  expect(writers).toEqual([join('platform', 'http', 'csv.ts')]);
});

/** The cells of a line with quoted cells, which may contain line breaks. */
function cellsOf(line: string): string[] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(?:,|\r\n$)/gy;
  return [...line.matchAll(cell)].map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
}
